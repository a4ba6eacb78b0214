---- MODULE NoWaiting ----
(***************************************************************************)
(* Mutant: the controller does not wait: a paused process records at any   *)
(* time, and resumes when it has (E4, E6).                                 *)
(* Overrides MayRecord and MayResume of StopTheWorld.                      *)
(***************************************************************************)
EXTENDS StopTheWorld

NoWaitingMayRecord(p) == p \in paused \ Red
NoWaitingMayResume    == TRUE
====
