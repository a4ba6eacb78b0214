---- MODULE SinksAlone ----
(***************************************************************************)
(* Mutant: a checkpoint is complete when the sinks have acknowledged it    *)
(* (A8).                                                                   *)
(* Overrides Acknowledged of Checkpoints.                                  *)
(***************************************************************************)
EXTENDS Checkpoints

SinksAloneAcknowledged(A) == Sinks \subseteq A
====
