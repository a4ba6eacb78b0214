--------------------------- MODULE ForgetCompanions --------------------------
(***************************************************************************)
(* Mutant: in an action that accepts a marker, the messages that it accepts*)
(* from other inputs are not recorded (E6, E17).                           *)
(* Overrides Take of ChandyLamport.                                        *)
(***************************************************************************)
EXTENDS ChandyLamport

ForgetCompanionsTake(action, head) ==
  /\ recChan' = [c \in DOMAIN chan |->
                   IF /\ c \in DOMAIN head /\ IsMessage(head[c]) /\ Recording(c, action)
                      /\ \A d \in DOMAIN head : ~IsMarker(head[d])
                   THEN Append(recChan[c], head[c].msg) ELSE recChan[c]]
  /\ closed'  = closed \cup {c \in DOMAIN head : IsMarker(head[c])}
  /\ whiteInRed' = IF action = "red" THEN Noted(whiteInRed, head, "white") ELSE whiteInRed
  /\ redInWhite' = IF action = "white" THEN Noted(redInWhite, head, "red") ELSE redInWhite
====
