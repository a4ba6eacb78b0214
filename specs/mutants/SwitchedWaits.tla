---------------------------- MODULE SwitchedWaits ----------------------------
(***************************************************************************)
(* Mutant: an input whose sender has switched waits all the same (A6).     *)
(* Overrides Holds of BarrierHandler.                                      *)
(***************************************************************************)
EXTENDS BarrierHandler

SwitchedWaitsHolds(b, c) == Mode # "at-least-once" /\ ~IsBack(c)
====
