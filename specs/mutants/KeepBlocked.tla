---- MODULE KeepBlocked ----
(***************************************************************************)
(* Mutant: an aborted checkpoint stays pending, and its inputs blocked     *)
(* (A7).                                                                   *)
(* Overrides Outlasts of BarrierHandler.                                   *)
(***************************************************************************)
EXTENDS BarrierHandler

KeepBlockedOutlasts(pe, n) == TRUE
====
