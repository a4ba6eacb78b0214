---- MODULE RecordAtAnyTime ----
(***************************************************************************)
(* Mutant: a paused process records although others still run and channels *)
(* have not drained, and may record again (E1, E6).                        *)
(* Overrides MayRecord of StopTheWorld.                                    *)
(***************************************************************************)
EXTENDS StopTheWorld

RecordAtAnyTimeMayRecord(p) == p \in paused
====
