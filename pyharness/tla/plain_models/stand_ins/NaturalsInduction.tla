---- MODULE NaturalsInduction ----
(* The names of this library's theorems, for the proofs that use them. TLC evaluates no proof. *)
EXTENDS Naturals
NatInductiveDefHypothesis(f, f0, Def(_, _)) == f = CHOOSE g : g = [n \in Nat |-> IF n = 0 THEN f0 ELSE Def(g[n - 1], n)]
NatInductiveDefConclusion(f, f0, Def(_, _)) == f = [n \in Nat |-> IF n = 0 THEN f0 ELSE Def(f[n - 1], n)]
FiniteNatInductiveDefHypothesis(f, c, Def(_, _), m, n) == f = CHOOSE g : g = [i \in m .. n |-> IF i = m THEN c ELSE Def(g[i - 1], i)]
FiniteNatInductiveDefConclusion(f, c, Def(_, _), m, n) == f = [i \in m .. n |-> IF i = m THEN c ELSE Def(f[i - 1], i)]
THEOREM NatInduction == TRUE
THEOREM GeneralNatInduction == TRUE
THEOREM SmallestNatural == TRUE
THEOREM DownwardNatInduction == TRUE
THEOREM RecursiveFcnOfNat == TRUE
THEOREM NatInductiveDef == TRUE
THEOREM NatInductiveDefType == TRUE
THEOREM NatInductiveUnique == TRUE
THEOREM FiniteNatInductiveDef == TRUE
THEOREM FiniteNatInductiveDefType == TRUE
THEOREM FiniteNatInductiveUnique == TRUE
THEOREM PrimitiveRecursion == TRUE
THEOREM FactorialDefConclusion == TRUE
THEOREM FactorialDef == TRUE
THEOREM FactorialType == TRUE
==============================
