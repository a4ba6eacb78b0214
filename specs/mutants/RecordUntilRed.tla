---- MODULE RecordUntilRed ----
(***************************************************************************)
(* Mutant: the recording of a channel is closed by its first red message,  *)
(* which need not exist (E6, E15).                                         *)
(* Overrides Take of ChandyLamport.                                        *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordUntilRedTake(action, head) ==
  /\ recChan' = [c \in DOMAIN chan |->
                   IF c \in DOMAIN head /\ HasColour(head[c], "white") /\ Recording(c, action)
                   THEN Append(recChan[c], head[c].msg) ELSE recChan[c]]
  /\ closed'  = closed \cup {c \in DOMAIN head : HasColour(head[c], "red")}
  /\ whiteInRed' = IF action = "red" THEN Noted(whiteInRed, head, "white") ELSE whiteInRed
  /\ redInWhite' = IF action = "white" THEN Noted(redInWhite, head, "red") ELSE redInWhite
====
