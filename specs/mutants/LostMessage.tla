---------------------------- MODULE LostMessage -----------------------------
(***************************************************************************)
(* Mutant: one channel loses all messages, and keeps the marker.  The      *)
(* snapshot has a message in no state and in no channel (E7).              *)
(* Overrides Put of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

LostMessagePut(p, out, taken) ==
  /\ chan'    = [c \in DOMAIN chan |->
                   IF Source(c) # p THEN taken[c]
                   ELSE taken[c] \o (IF c = Least(DOMAIN chan) THEN SelectSeq(out[c], IsMarker) ELSE out[c])]
  /\ markers' = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + Len(SelectSeq(out[c], IsMarker))
                                                         ELSE markers[c]]
=============================================================================
