---- MODULE AnyoneInitiates ----
(***************************************************************************)
(* Mutant: a process that is no initiator initiates, too (E14, E16).       *)
(* Overrides MayInitiate of ChandyLamport.                                 *)
(***************************************************************************)
EXTENDS ChandyLamport

AnyoneInitiatesMayInitiate(p) == TRUE
====
