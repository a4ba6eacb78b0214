-------------------------- MODULE SourceHearsAgain ---------------------------
(***************************************************************************)
(* Mutant: a source hears of a checkpoint again that it has dealt with     *)
(* (A7).                                                                   *)
(* Overrides Hears of Checkpoints.                                         *)
(***************************************************************************)
EXTENDS Checkpoints

SourceHearsAgainHears(p) == p \in Sources \ ended /\ triggered # 0
====
