---- MODULE OffsetAfterBarrier ----
(***************************************************************************)
(* Mutant: a source records the offset behind its barrier (A2).            *)
(* Overrides StateTaken of Checkpoints.                                    *)
(***************************************************************************)
EXTENDS Checkpoints

OffsetAfterBarrierStateTaken(p) ==
  IF p \in Sources /\ Offset(state[p]) < Records THEN [state[p] EXCEPT ![1] = @ + 1] ELSE state[p]
====
