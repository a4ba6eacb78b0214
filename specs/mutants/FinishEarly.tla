---- MODULE FinishEarly ----
(***************************************************************************)
(* Mutant: a process says that it is done after its first marker (E15).    *)
(* Overrides LocallyComplete of ChandyLamport.                             *)
(***************************************************************************)
EXTENDS ChandyLamport

FinishEarlyLocallyComplete(p) ==
  p \in Red /\ (InputsOf[topo][p] = {} \/ InputsOf[topo][p] \cap closed # {})
====
