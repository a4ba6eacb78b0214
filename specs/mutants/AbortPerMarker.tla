---- MODULE AbortPerMarker ----
(***************************************************************************)
(* Mutant: every cancellation that comes aborts, however often (A7).       *)
(* Overrides Cancels of BarrierHandler.                                    *)
(***************************************************************************)
EXTENDS BarrierHandler

AbortPerMarkerCancels(t, n) == TRUE
====
