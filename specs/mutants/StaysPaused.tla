---- MODULE StaysPaused ----
(***************************************************************************)
(* Mutant: the controller never lets a process resume (E18).               *)
(* Overrides MayResume of StopTheWorld.                                    *)
(***************************************************************************)
EXTENDS StopTheWorld

StaysPausedMayResume == FALSE
====
