---------------------------- MODULE LeavesPending ----------------------------
(***************************************************************************)
(* Mutant: a barrier that comes when one input is left is a whole          *)
(* checkpoint, and leaves an older one pending, which nobody brings to an  *)
(* end (A7).  Apache Flink's tracker does so, from 1.18 to 2.3: see        *)
(* docs/explanation/flink-and-the-spec.md.                                 *)
(* Overrides AfterBarrier of BarrierHandler.                               *)
(***************************************************************************)
EXTENDS BarrierHandler

LeavesPendingAfterBarrier(inputs, t, c, b, overtaken) ==
  LET h    == Counted(inputs, RegularOf(inputs), t, c, b, overtaken)
      left == \A d \in inputs \ t.finished : d = c
  IN  IF HasEnded(t, b.id) THEN Handled(t, << >>, << >>, << >>, FALSE)
      ELSE IF left /\ b.id \notin Ids(t) THEN [h EXCEPT !.task.pending = t.pending]
      ELSE h
====
