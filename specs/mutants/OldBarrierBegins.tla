---- MODULE OldBarrierBegins ----
(***************************************************************************)
(* Mutant: a barrier of a checkpoint that has ended begins it again (A7).  *)
(* Overrides AfterBarrier of BarrierHandler.                               *)
(***************************************************************************)
EXTENDS BarrierHandler

OldBarrierBeginsAfterBarrier(inputs, t, c, b, overtaken) ==
  Counted(inputs, RegularOf(inputs), t, c, b, overtaken)
====
