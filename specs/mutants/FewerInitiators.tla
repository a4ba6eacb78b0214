---- MODULE FewerInitiators ----
(***************************************************************************)
(* Mutant: the first of the initiators does not initiate (E14).            *)
(* Overrides MayInitiate of ChandyLamport.                                 *)
(***************************************************************************)
EXTENDS ChandyLamport

FewerInitiatorsMayInitiate(p) ==
  \E q \in InitiatorsOf[topo] : p \in InitiatorsOf[topo] /\ q < p
====
