----------------------------- MODULE CommitTwice -----------------------------
(***************************************************************************)
(* Mutant: a sink commits twice what it staged (A3).                       *)
(* Overrides Together of Checkpoints.                                      *)
(***************************************************************************)
EXTENDS Checkpoints

CommitTwiceTogether(bag, bags) ==
  [q \in DOMAIN bag |-> [n \in DOMAIN bag[q] |->
    bag[q][n] + 2 * Total([i \in DOMAIN bags |-> bags[i][q][n]])]]
====
