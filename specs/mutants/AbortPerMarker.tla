---- MODULE AbortPerMarker ----
(***************************************************************************)
(* Mutant: every cancellation that comes aborts, however often (A7).       *)
(* Overrides AfterCancel of BarrierHandler.                                *)
(***************************************************************************)
EXTENDS BarrierHandler

AbortPerMarkerAfterCancel(t, n) ==
  LET Older(pe) == pe.id < n
      old == IF Exclusive THEN << >> ELSE SelectSeq(t.pending, Older)
  IN  Handled(Aborted(t, n), << >>, << >>, [i \in DOMAIN old |-> old[i].id] \o <<n>>, FALSE)
====
