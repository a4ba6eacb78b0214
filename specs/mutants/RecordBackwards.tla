---- MODULE RecordBackwards ----
(***************************************************************************)
(* Mutant: what is recorded of a channel is in reverse order (E5, E6).     *)
(* Overrides Take of ChandyLamport.                                        *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordBackwardsTake(action, head) ==
  /\ recChan' = [c \in DOMAIN chan |->
                   IF c \in DOMAIN head /\ IsMessage(head[c]) /\ Recording(c, action)
                   THEN <<head[c].msg>> \o recChan[c] ELSE recChan[c]]
  /\ closed'  = closed \cup {c \in DOMAIN head : IsMarker(head[c])}
  /\ whiteInRed' = IF action = "red" THEN Noted(whiteInRed, head, "white") ELSE whiteInRed
  /\ redInWhite' = IF action = "white" THEN Noted(redInWhite, head, "red") ELSE redInWhite
====
