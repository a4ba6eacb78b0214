---- MODULE ForgetInput ----
(***************************************************************************)
(* Mutant: a process forgets an input when it says that it is done (E15).  *)
(* Overrides LocallyComplete of ChandyLamport.                             *)
(***************************************************************************)
EXTENDS ChandyLamport

ForgetInputLocallyComplete(p) ==
  p \in Red /\ \E c \in InputsOf[topo][p] : InputsOf[topo][p] \ {c} \subseteq closed
====
