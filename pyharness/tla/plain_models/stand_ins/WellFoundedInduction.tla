---- MODULE WellFoundedInduction ----
(* The names of this library's theorems, for the proofs that use them. TLC evaluates no proof. *)
EXTENDS NaturalsInduction
SetLessThan(x, R, S) == {y \in S : <<y, x>> \in R}
IsTransitivelyClosedOn(R, S) == \A x, y, z \in S : <<x, y>> \in R /\ <<y, z>> \in R => <<x, z>> \in R
OpToRel(_\prec_, S) == {ss \in S \X S : ss[1] \prec ss[2]}
IsWellFoundedOn(R, S) == ~ \E f \in [Nat -> S] : \A n \in Nat : <<f[n + 1], f[n]>> \in R
THEOREM WFMin == TRUE
THEOREM WFMinUnique == TRUE
THEOREM WFInduction == TRUE
THEOREM WFRecursion == TRUE
THEOREM WFInductiveDef == TRUE
THEOREM WFInductiveUnique == TRUE
THEOREM WFInductiveDefType == TRUE
THEOREM WFInductiveDefUnique == TRUE
THEOREM NatLessThanWellFounded == TRUE
THEOREM IsWellFoundedOnSubset == TRUE
THEOREM IsWellFoundedOnSubrelation == TRUE
THEOREM MinWellFounded == TRUE
THEOREM LexicographicOrderingWellFounded == TRUE
THEOREM PreImageWellFounded == TRUE
THEOREM IsTransitivelyClosedOnSubset == TRUE
THEOREM TransitiveClosureThm == TRUE
THEOREM TransitiveClosureWF == TRUE
THEOREM TransitiveClosureMinimal == TRUE
THEOREM TCTCTC == TRUE
THEOREM TCRTC == TRUE
==============================
