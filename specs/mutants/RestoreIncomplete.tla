---- MODULE RestoreIncomplete ----
(***************************************************************************)
(* Mutant: each task restores the newest checkpoint that it has            *)
(* acknowledged itself, complete or not (A2).                              *)
(* Overrides RestoredFrom of Checkpoints.                                  *)
(***************************************************************************)
EXTENDS Checkpoints

RestoreIncompleteRestoredFrom(p) == Highest({n \in Id : p \in DOMAIN acks[n]})
====
