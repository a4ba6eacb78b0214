---- MODULE AbortPerMarker ----
(***************************************************************************)
(* Mutant: every cancellation that comes aborts, however often (A7).       *)
(* Overrides AfterCancel of BarrierHandler.                                *)
(***************************************************************************)
EXTENDS BarrierHandler

AbortPerMarkerAfterCancel(t, n) == Handled(Aborted(t, n), << >>, << >>, <<n>>, FALSE)
====
