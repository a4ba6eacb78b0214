----------------------------- MODULE SkipsNumber -----------------------------
(***************************************************************************)
(* Mutant: an initiator leaves out every second number (E11).              *)
(* Overrides NextOf of Snapshots.                                          *)
(***************************************************************************)
EXTENDS Snapshots

SkipsNumberNextOf(p) == <<p, 1 + 2 * Cardinality({n \in RedFor(p) : n[1] = p})>>
==============================================================================
