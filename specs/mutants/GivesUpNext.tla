----------------------------- MODULE GivesUpNext -----------------------------
(***************************************************************************)
(* Mutant: when a checkpoint is complete, the next one is given up too     *)
(* (A8).                                                                   *)
(* Overrides Subsumed of Checkpoints.                                      *)
(***************************************************************************)
EXTENDS Checkpoints

GivesUpNextSubsumed(n) == IF n = 0 THEN {} ELSE 1..triggered \cap 1..(n + 1)
====
