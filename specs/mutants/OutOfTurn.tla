----------------------------- MODULE OutOfTurn ------------------------------
(***************************************************************************)
(* Mutant: a checkpoint is complete when everyone has acknowledged it,     *)
(* also ahead of its turn (A8).                                            *)
(* Overrides InTurn of Checkpoints.                                        *)
(***************************************************************************)
EXTENDS Checkpoints

OutOfTurnInTurn(whole, off) == whole
====
