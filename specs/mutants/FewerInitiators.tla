---- MODULE FewerInitiators ----
(***************************************************************************)
(* Mutant: the first of the initiators does not initiate (E14).            *)
(* Overrides MayInitiate of ChandyLamport.                                 *)
(***************************************************************************)
EXTENDS ChandyLamport

FewerInitiatorsMayInitiate(p) ==
  \E q \in Graphs[topo].initiators : p \in Graphs[topo].initiators /\ q < p
====
