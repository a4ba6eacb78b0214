--------------------------- MODULE WaitsForAborted ---------------------------
(***************************************************************************)
(* Mutant: where checkpoints are completed in their order, one waits also  *)
(* for those before it that were aborted (A8).                             *)
(* Overrides InTurn of Checkpoints.                                        *)
(***************************************************************************)
EXTENDS Checkpoints

WaitsForAbortedInTurn(whole, off) ==
  IF Overlap = 2 THEN {n \in whole : 1..n \subseteq whole \cup completed} ELSE whole
====
