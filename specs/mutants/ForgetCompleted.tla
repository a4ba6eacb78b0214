---- MODULE ForgetCompleted ----
(***************************************************************************)
(* Mutant: the coordinator knows no complete checkpoints after a crash     *)
(* (A8).                                                                   *)
(* Overrides Remembered of Checkpoints.                                    *)
(***************************************************************************)
EXTENDS Checkpoints

ForgetCompletedRemembered == {}
====
