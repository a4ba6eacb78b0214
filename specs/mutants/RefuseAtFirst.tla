---------------------------- MODULE RefuseAtFirst ---------------------------
(***************************************************************************)
(* Mutant: process 1, once red, accepts no white message: what was on its  *)
(* way there as the snapshot was taken stays there forever (E3, E18).      *)
(* Overrides Observe of StopTheWorld.                                      *)
(***************************************************************************)
EXTENDS StopTheWorld

RefuseAtFirstObserve(p, taken) ==
  /\ \A c \in DOMAIN taken : p = 1 /\ p \in Red => ~HasColour(taken[c], "white")
  /\ whiteInRed' = IF Colour(p) = "red" THEN Noted(whiteInRed, taken, "white") ELSE whiteInRed
  /\ redInWhite' = IF Colour(p) = "white" THEN Noted(redInWhite, taken, "red") ELSE redInWhite
==============================================================================
