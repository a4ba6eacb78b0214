---- MODULE SwitchUntold ----
(***************************************************************************)
(* Mutant: a task that has switched does not say so with its barriers, and *)
(* the tasks behind it align (A6).                                         *)
(* Overrides Switched of BarrierHandler.                                   *)
(***************************************************************************)
EXTENDS BarrierHandler

SwitchUntoldSwitched == "timeoutable"
====
