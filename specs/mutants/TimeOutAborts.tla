---------------------------- MODULE TimeOutAborts ----------------------------
(***************************************************************************)
(* Mutant: a task that takes too long aborts the checkpoint, which it goes *)
(* on with (A6, A7).                                                       *)
(* Overrides AfterTimeOut of BarrierHandler.                               *)
(***************************************************************************)
EXTENDS BarrierHandler

TimeOutAbortsAfterTimeOut(t) ==
  LET Aligning(pe) == ~pe.taken /\ ~pe.forced
      late == SelectSeq(t.pending, Aligning)
  IN  [Handled([t EXCEPT !.pending =
                  [i \in DOMAIN @ |-> IF Aligning(@[i]) THEN [@[i] EXCEPT !.taken = TRUE] ELSE @[i]]],
               IdsOf(late), << >>, IdsOf(late), FALSE) EXCEPT !.alignment = Switched]
====
