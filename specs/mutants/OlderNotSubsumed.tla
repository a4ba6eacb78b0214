-------------------------- MODULE OlderNotSubsumed ---------------------------
(***************************************************************************)
(* Mutant: a newer complete checkpoint leaves the older ones pending (A8). *)
(* Overrides Subsumed of Checkpoints.                                      *)
(***************************************************************************)
EXTENDS Checkpoints

OlderNotSubsumedSubsumed(n) == {}
====
