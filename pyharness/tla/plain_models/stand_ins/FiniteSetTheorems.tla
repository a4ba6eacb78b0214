---- MODULE FiniteSetTheorems ----
(* The names of this library's theorems, for the proofs that use them. TLC evaluates no proof. *)
EXTENDS FiniteSets, Integers, Functions, WellFoundedInduction
FiniteSubsetsOf(S) == {T \in SUBSET S : IsFiniteSet(T)}
THEOREM FS_NatBijection == TRUE
THEOREM FS_CountingElements == TRUE
THEOREM FS_Bijection == TRUE
THEOREM FS_SameCardinalityBij == TRUE
THEOREM FS_CardinalityType == TRUE
THEOREM FS_Induction == TRUE
THEOREM FS_WFInduction == TRUE
THEOREM FS_Subset == TRUE
THEOREM FS_EmptySet == TRUE
THEOREM FS_Singleton == TRUE
THEOREM FS_AddElement == TRUE
THEOREM FS_RemoveElement == TRUE
THEOREM FS_Union == TRUE
THEOREM FS_Intersection == TRUE
THEOREM FS_Difference == TRUE
THEOREM FS_UNION == TRUE
THEOREM FS_Product == TRUE
THEOREM FS_SUBSET == TRUE
THEOREM FS_Powerset == TRUE
THEOREM FS_PowerSet == TRUE
THEOREM FS_Image == TRUE
THEOREM FS_Injection == TRUE
THEOREM FS_Surjection == TRUE
THEOREM FS_Interval == TRUE
THEOREM FS_BoundedSetOfNaturals == TRUE
THEOREM FS_StrictSubsetOrderingWellFounded == TRUE
THEOREM FS_FiniteSubsetsOfFinite == TRUE
THEOREM FS_MajoritiesIntersect == TRUE
THEOREM FS_PigeonHole == TRUE
THEOREM FS_Pigeonhole == TRUE
THEOREM FS_UnionDisjoint == TRUE
THEOREM FS_CardinalityUnion == TRUE
THEOREM FS_SetOfFcns == TRUE
THEOREM FS_Filter == TRUE
THEOREM FS_NatInjection == TRUE
THEOREM FS_SubsetEqual == TRUE
THEOREM FS_InjSurjBij == TRUE
THEOREM FS_StrictSubset == TRUE
==============================
