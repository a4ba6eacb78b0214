---- MODULE ForgetFinished ----
(***************************************************************************)
(* Mutant: a finished input does not count as arrived (A9).                *)
(* Overrides Began and AfterEnd of BarrierHandler.                         *)
(***************************************************************************)
EXTENDS BarrierHandler

ForgetFinishedBegan(inputs, t, b) ==
  [id      |-> b.id,
   arrived |-> {},
   taken   |-> FALSE,
   log     |-> [c \in inputs |-> << >>],
   held    |-> {},
   ahead   |-> [c \in inputs |-> 0],
   forced  |-> AlignmentOf(b) = "aligned" /\ OfMode # "aligned"]

ForgetFinishedAfterEnd(inputs, t0, c) ==
  LET regular == RegularOf(inputs)
      t       == [t0 EXCEPT !.finished = @ \cup {c}]
      ends    == regular \subseteq t.finished /\ ~(regular \subseteq t0.finished)
  IN  Handled(t, << >>, << >>, << >>, ends)
====
