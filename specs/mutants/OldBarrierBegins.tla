---- MODULE OldBarrierBegins ----
(***************************************************************************)
(* Mutant: a barrier of a checkpoint that has ended begins it again (A7).  *)
(* Overrides IsOld of BarrierHandler.                                      *)
(***************************************************************************)
EXTENDS BarrierHandler

OldBarrierBeginsIsOld(t, n) == FALSE
====
