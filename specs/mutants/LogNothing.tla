------------------------------ MODULE LogNothing -----------------------------
(***************************************************************************)
(* Mutant: a task logs nothing as in flight (A5, A10).                     *)
(* Overrides Logs of BarrierHandler.                                       *)
(***************************************************************************)
EXTENDS BarrierHandler

LogNothingLogs(pe, c) == FALSE
====
