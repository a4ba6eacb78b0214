---------------------------- MODULE LeavesPending ----------------------------
(***************************************************************************)
(* Mutant: a barrier that comes when one input is left is a whole          *)
(* checkpoint, and leaves an older one pending, which nobody brings to an  *)
(* end (A7).  Apache Flink's tracker does so, from 1.18 to 2.3: see        *)
(* docs/explanation/flink-and-the-spec.md.                                 *)
(* Overrides AfterBarrier of BarrierHandler.                               *)
(***************************************************************************)
EXTENDS BarrierHandler, FiniteSets

LeavesPendingAfterBarrier(inputs, t, c, b, overtaken) ==
  LET h == Counted(inputs, RegularOf(inputs), t, c, b, overtaken)
  IN  CASE HasEnded(t, b.id) -> Handled(t, << >>, << >>, << >>, FALSE)
        [] ~HasEnded(t, b.id) /\ Cardinality(inputs \ t.finished) = 1 /\ b.id \notin Ids(t) ->
             [h EXCEPT !.task.pending = t.pending]
        [] OTHER -> h
====
