---- MODULE BeginsConcluded ----
(***************************************************************************)
(* Mutant: the collector has a verdict before anybody has reported (E19).  *)
(* Overrides CInit of Collection.                                          *)
(***************************************************************************)
EXTENDS Collection

BeginsConcludedCInit ==
  /\ Init
  /\ reports   = << >>
  /\ collected = << >>
  /\ verdict   = "holds"
  /\ S0        = [states |-> << >>, channels |-> << >>]
====
