---------------------------- MODULE BoundedStates ----------------------------
(***************************************************************************)
(* Values of a bounded size, for the modules in which TLC begins in every  *)
(* state that satisfies an inductive invariant.                            *)
(***************************************************************************)
EXTENDS Items

(* How many elements a channel holds at the most, and a recording.          *)
Longest  == 2
Recorded == 1

Upto(S, n) == UNION {[1..k -> S] : k \in 0..n}

Local     == SUBSET Item
Queues(S) == Upto(S \cup {[msg |-> m, colour |-> colour] : m \in Item, colour \in {"white", "red"}}, Longest)
Records   == Upto(Item, Recorded)
==============================================================================
