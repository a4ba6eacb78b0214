-------------------------- MODULE FirstAcknowledged --------------------------
(***************************************************************************)
(* Mutant: a checkpoint is complete as soon as one task has acknowledged   *)
(* it (A8).                                                                *)
(* Overrides Acknowledged of Checkpoints.                                  *)
(***************************************************************************)
EXTENDS Checkpoints

FirstAcknowledgedAcknowledged(A) == A # {}
====
