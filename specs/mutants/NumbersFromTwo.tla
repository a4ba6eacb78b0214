--------------------------- MODULE NumbersFromTwo ----------------------------
(***************************************************************************)
(* Mutant: an initiator begins to number its snapshots with 2 (E11).       *)
(* Overrides NextOf of Snapshots.                                          *)
(***************************************************************************)
EXTENDS Snapshots

NumbersFromTwoNextOf(p) == <<p, 2 + Cardinality({n \in RedFor(p) : n[1] = p})>>
==============================================================================
