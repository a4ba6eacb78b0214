---- MODULE CommitEarly ----
(***************************************************************************)
(* Mutant: a sink commits at the barrier, before the checkpoint is         *)
(* complete (A3).                                                          *)
(* Overrides MayCommit of Checkpoints.                                     *)
(***************************************************************************)
EXTENDS Checkpoints

CommitEarlyMayCommit(n) == TRUE
====
