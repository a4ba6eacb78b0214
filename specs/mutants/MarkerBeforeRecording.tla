---- MODULE MarkerBeforeRecording ----
(***************************************************************************)
(* Mutant: an initiator's marker goes out behind its first message, also   *)
(* while it has not recorded yet (E11, E12).                               *)
(* Overrides Emission of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

MarkerBeforeRecordingEmission(c, turns, action, body) ==
  IF markers[c] > 0 THEN body
  ELSE IF turns THEN IF action = "red" THEN <<Marker>> \o body ELSE body \o <<Marker>>
  ELSE IF Source(c) \in InitiatorsOf[topo] /\ body # << >> THEN body \o <<Marker>> ELSE body
====
