---- MODULE Functions ----
EXTENDS Integers, Folds
(* Functions, and what can be said of them; written for this tool with the meaning that the names have in CommunityModules. *)
Restrict(f, S) == [x \in S |-> f[x]]
IsRestriction(f, g) == DOMAIN f \subseteq DOMAIN g /\ \A x \in DOMAIN f : f[x] = g[x]
RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]
RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]
Range(f) == {f[x] : x \in DOMAIN f}
Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : t \in Range(f) => f[s] = t]
AntiFunction(f) == [y \in Range(f) |-> CHOOSE x \in DOMAIN f : f[x] = y]
IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : \A t \in T : \E s \in S : f[s] = t}
Bijection(S, T) == Injection(S, T) \cap Surjection(S, T)
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}
Pointwise(f, g, Op(_, _)) == [x \in DOMAIN f |-> Op(f[x], g[x])]
FoldFunctionOnSet(Op(_, _), base, f, S) ==
  LET folded[T \in SUBSET S] ==
        IF T = {} THEN base ELSE LET x == CHOOSE y \in T : TRUE IN Op(f[x], folded[T \ {x}])
  IN folded[S]
FoldFunction(Op(_, _), base, f) == FoldFunctionOnSet(Op, base, f, DOMAIN f)
SumFunction(f) == FoldFunction(LAMBDA a, b : a + b, 0, f)
SumFunctionOnSet(f, S) == FoldFunctionOnSet(LAMBDA a, b : a + b, 0, f, S)
==============================
