---- MODULE ReplayTwice ----
(***************************************************************************)
(* Mutant: the records in flight are restored twice (A10).                 *)
(* Overrides Replayed of Checkpoints.                                      *)
(***************************************************************************)
EXTENDS Checkpoints

ReplayTwiceReplayed(log) == log \o log
====
