---- MODULE RecordPastMarker ----
(***************************************************************************)
(* Mutant: recording goes on past the marker (E6).                         *)
(* Overrides Recording of ChandyLamport.                                   *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordPastMarkerRecording(c, action) == action = "red"
====
