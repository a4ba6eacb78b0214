------------------------- MODULE StagedIsForgotten --------------------------
(***************************************************************************)
(* Mutant: after a crash a sink does not commit what it staged for a       *)
(* complete checkpoint (A3).                                               *)
(* Overrides RestoredStaged of Checkpoints.                                *)
(***************************************************************************)
EXTENDS Checkpoints

StagedIsForgottenRestoredStaged(p) == {}
====
