---------------------------- MODULE SourceSkips -----------------------------
(***************************************************************************)
(* Mutant: a source hears of the newest checkpoint alone, also where they  *)
(* are completed in their order (A8).                                      *)
(* Overrides NewsFor of Checkpoints.                                       *)
(***************************************************************************)
EXTENDS Checkpoints

SourceSkipsNewsFor(p) == triggered
====
