----------------------------- MODULE ClosesAll ------------------------------
(***************************************************************************)
(* Mutant: a marker closes its channel for all snapshots of which its      *)
(* target has a part (E6, E15).                                            *)
(* Overrides Close of Snapshots.                                           *)
(***************************************************************************)
EXTENDS Snapshots

ClosesAllClose(c, n) ==
  closed' = [m \in DOMAIN closed |-> IF m = n \/ Target(c) \in Red(m) THEN closed[m] \cup {c} ELSE closed[m]]
==============================================================================
