---- MODULE ForgetFinished ----
(***************************************************************************)
(* Mutant: a finished input does not count as arrived (A9).                *)
(* Overrides Began and AfterEnd of BarrierHandler.                         *)
(***************************************************************************)
EXTENDS BarrierHandler

ForgetFinishedBegan(inputs, t, n) ==
  [id      |-> n,
   arrived |-> {},
   taken   |-> RecordsAtOnce,
   log     |-> [c \in inputs |-> << >>]]

ForgetFinishedAfterEnd(inputs, t0, c) ==
  LET regular == RegularOf(inputs)
      t       == [t0 EXCEPT !.finished = @ \cup {c}]
      ends    == regular \subseteq t.finished /\ ~(regular \subseteq t0.finished)
  IN  Handled(t, << >>, << >>, << >>, ends)
====
