---- MODULE RecordUntilRed ----
(***************************************************************************)
(* Mutant: the recording of a channel is closed by its first red message,  *)
(* which need not exist (E6, E15).                                         *)
(* Overrides Closes and Recording of ChandyLamport.                        *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordUntilRedCloses(e) == HasColour(e, "red")

RecordUntilRedRecording(p, action, c, e) == action = "red" /\ c \notin closed /\ HasColour(e, "white")
====
