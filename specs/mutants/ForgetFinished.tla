---- MODULE ForgetFinished ----
(***************************************************************************)
(* Mutant: a finished input does not count as arrived (A9).                *)
(* Overrides CountsFinished of BarrierHandler.                             *)
(***************************************************************************)
EXTENDS BarrierHandler

ForgetFinishedCountsFinished == FALSE
====
