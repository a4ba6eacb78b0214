---- MODULE WaitsForNone ----
(***************************************************************************)
(* Mutant: an initiator begins its next snapshot although one that was     *)
(* begun is not complete, and snapshots may not overlap (E16).             *)
(* Overrides MayInitiate of Snapshots.                                     *)
(***************************************************************************)
EXTENDS Snapshots

WaitsForNoneMayInitiate(p) == NextOf(p) \in IdsOf[topo]
====
