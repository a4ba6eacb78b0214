---------------------------- MODULE ForgetTogether ----------------------------
(***************************************************************************)
(* Mutant: nothing is recorded as in flight of an action that accepts      *)
(* several records (E6, E17).                                              *)
(* Overrides Take of Barriers.                                             *)
(***************************************************************************)
EXTENDS UnalignedBarriers

ForgetTogetherTake(p, logged, head) ==
  /\ Log(IF Cardinality(DOMAIN head) > 1 THEN {} ELSE logged, head)
  /\ whiteInRed' = IF Colour(p) = "red" THEN Noted(whiteInRed, head, "white") ELSE whiteInRed
  /\ redInWhite' = IF Colour(p) = "white" THEN Noted(redInWhite, head, "red") ELSE redInWhite
==============================================================================
