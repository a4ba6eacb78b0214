---- MODULE NoEpochs ----
(***************************************************************************)
(* Mutant: barriers carry no number, as in Algorithm 2 of arXiv 1506.08603:*)
(* one that comes while a checkpoint is pending is taken for that one's,   *)
(* so that checkpoints which overlap in a loop wait forever (A10).         *)
(* Overrides AfterBarrier of BarrierHandler.                               *)
(***************************************************************************)
EXTENDS BarrierHandler

NoEpochsAfterBarrier(inputs, t, c, b, overtaken) ==
  IF HasEnded(t, b.id) \/ (t.pending # << >> /\ b.id \notin Ids(t))
  THEN Handled(t, << >>, << >>, << >>, FALSE)
  ELSE Counted(inputs, RegularOf(inputs), t, c, b, overtaken)
====
