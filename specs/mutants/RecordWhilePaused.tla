---- MODULE RecordWhilePaused ----
(***************************************************************************)
(* Mutant: a process that is still paused records again what has come to   *)
(* it since others resumed (E1).                                           *)
(* Overrides MayRecord of StopTheWorld.                                    *)
(***************************************************************************)
EXTENDS StopTheWorld

RecordWhilePausedMayRecord(p) == p \in paused /\ Drained /\ (AllPaused \/ p \in Red)
====
