---- MODULE StaysPaused ----
(***************************************************************************)
(* Mutant: the controller lets nobody resume (E18).                        *)
(* Overrides MayResume of StopTheWorld.                                    *)
(***************************************************************************)
EXTENDS StopTheWorld

StaysPausedMayResume == FALSE
====
