---- MODULE RefuseWhite ----
(***************************************************************************)
(* Mutant: a red process accepts no white message: what was in a channel   *)
(* as the snapshot was taken stays there forever (E3, E18).                *)
(* Overrides Observe of StopTheWorld.                                      *)
(***************************************************************************)
EXTENDS StopTheWorld

RefuseWhiteObserve(p, taken) ==
  /\ \A c \in DOMAIN taken : p \in Red => ~HasColour(taken[c], "white")
  /\ whiteInRed' = IF Colour(p) = "red" THEN Noted(whiteInRed, taken, "white") ELSE whiteInRed
  /\ redInWhite' = IF Colour(p) = "white" THEN Noted(redInWhite, taken, "red") ELSE redInWhite
====
