-------------------------- MODULE SavepointSwitches --------------------------
(***************************************************************************)
(* Mutant: a savepoint's barriers are as those of any other checkpoint,    *)
(* and may switch (A11). Unaligned and timeout.                            *)
(* Overrides OfSavepoint of BarrierHandler.                                *)
(***************************************************************************)
EXTENDS BarrierHandler

SavepointSwitchesOfSavepoint == OfMode
====
