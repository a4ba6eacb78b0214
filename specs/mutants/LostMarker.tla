----------------------------- MODULE LostMarker -----------------------------
(***************************************************************************)
(* Mutant: one channel loses the marker, and keeps all messages.  What     *)
(* assumes that nothing is lost is then wrong, and never ends (E4, E18).   *)
(* Overrides Put of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

LostMarkerPut(p, out, taken) ==
  /\ chan'    = [c \in DOMAIN chan |->
                   IF Source(c) # p THEN taken[c]
                   ELSE taken[c] \o (IF c = Least(DOMAIN chan) THEN SelectSeq(out[c], IsMessage) ELSE out[c])]
  /\ markers' = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + Len(SelectSeq(out[c], IsMarker))
                                                         ELSE markers[c]]
=============================================================================
