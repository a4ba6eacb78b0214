---- MODULE Relation ----
EXTENDS Naturals, FiniteSets
LOCAL INSTANCE TLC
(* Relations on a set, R[x, y] or R(x, y) for those Under; written for this tool with the meaning that the names have in
   CommunityModules. *)
LOCAL Under(R(_, _), S) == [x, y \in S |-> R(x, y)]
IsReflexive(R, S) == \A x \in S : R[x, x]
IsReflexiveUnder(R(_, _), S) == IsReflexive(Under(R, S), S)
IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsIrreflexiveUnder(R(_, _), S) == IsIrreflexive(Under(R, S), S)
IsSymmetric(R, S) == \A x, y \in S : R[x, y] = R[y, x]
IsSymmetricUnder(R(_, _), S) == IsSymmetric(Under(R, S), S)
IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAntiSymmetricUnder(R(_, _), S) == IsAntiSymmetric(Under(R, S), S)
IsAsymmetric(R, S) == \A x, y \in S : R[x, y] => ~R[y, x]
IsAsymmetricUnder(R(_, _), S) == IsAsymmetric(Under(R, S), S)
IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsTransitiveUnder(R(_, _), S) == IsTransitive(Under(R, S), S)
IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(R(_, _), S) == IsStrictlyPartiallyOrdered(Under(R, S), S)
IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(R(_, _), S) == IsPartiallyOrdered(Under(R, S), S)
IsStrictlyTotallyOrdered(R, S) == IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x = y \/ R[x, y] \/ R[y, x]
IsStrictlyTotallyOrderedUnder(R(_, _), S) == IsStrictlyTotallyOrdered(Under(R, S), S)
IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]
IsTotallyOrderedUnder(R(_, _), S) == IsTotallyOrdered(Under(R, S), S)
TransitiveClosure(R, S) ==
  LET through[T \in SUBSET S] ==
        IF T = {} THEN [x, y \in S |-> R[x, y]]
        ELSE LET z == CHOOSE u \in T : TRUE
                 before == through[T \ {z}]
             IN TLCEval([x, y \in S |-> before[x, y] \/ (before[x, z] /\ before[z, y])])
  IN through[S]
ReflexiveTransitiveClosure(R, S) == LET closure == TransitiveClosure(R, S) IN [x, y \in S |-> x = y \/ closure[x, y]]
IsConnected(R, S) == LET closure == ReflexiveTransitiveClosure(R, S) IN \A x, y \in S : closure[x, y]
==============================
