----------------------------- MODULE SkipsNumber -----------------------------
(***************************************************************************)
(* Mutant: an initiator leaves out the number of its first snapshot (E11). *)
(* Overrides NextOf of Snapshots.                                          *)
(***************************************************************************)
EXTENDS Snapshots

SkipsNumberNextOf(p) == <<p, 2 + Cardinality({n \in RedFor(p) : n[1] = p})>>
==============================================================================
