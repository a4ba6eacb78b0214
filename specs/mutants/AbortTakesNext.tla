---------------------------- MODULE AbortTakesNext ---------------------------
(***************************************************************************)
(* Mutant: a task that aborts a checkpoint takes the next one for ended too*)
(* (A7).                                                                   *)
(* Overrides Aborted of BarrierHandler.                                    *)
(***************************************************************************)
EXTENDS BarrierHandler

AbortTakesNextAborted(t, n) == [t EXCEPT !.last = Greatest(@, n + 1), !.pending = << >>]
====
