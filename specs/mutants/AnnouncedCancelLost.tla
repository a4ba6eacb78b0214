-------------------------- MODULE AnnouncedCancelLost --------------------------
(***************************************************************************)
(* Mutant: a cancellation of a checkpoint of which no barrier has come is  *)
(* ignored, though one was announced; that barrier then blocks its input   *)
(* forever (A7).  Apache Flink's handler does so, from 1.18 to 2.3: see    *)
(* docs/explanation/flink-and-the-spec.md.                                 *)
(* Overrides AfterCancel of BarrierHandler.                                *)
(***************************************************************************)
EXTENDS BarrierHandler

AnnouncedCancelLostAfterCancel(t, n) ==
  LET Heard(pe) == pe.id = n /\ ~pe.taken /\ pe.held = {}
      heard     == \E i \in DOMAIN t.pending : Heard(t.pending[i])
  IN  IF heard \/ HasEnded(t, n)
      THEN Handled(t, << >>, << >>, << >>, FALSE)
      ELSE Handled(Aborted(t, n), << >>, << >>, <<n>>, FALSE)
====
