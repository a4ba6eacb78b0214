---- MODULE KeepBlocked ----
(***************************************************************************)
(* Mutant: an aborted checkpoint stays pending, and its inputs blocked     *)
(* (A7).                                                                   *)
(* Overrides Aborted of BarrierHandler.                                    *)
(***************************************************************************)
EXTENDS BarrierHandler

KeepBlockedAborted(t, n) == [t EXCEPT !.last = Greatest(@, n)]
====
