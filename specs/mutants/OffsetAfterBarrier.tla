---- MODULE OffsetAfterBarrier ----
(***************************************************************************)
(* Mutant: a source records the offset behind its barrier (A2).            *)
(* Overrides Copy of Checkpoints.                                          *)
(***************************************************************************)
EXTENDS Checkpoints

OffsetAfterBarrierCopy(p, n) ==
  IF n \in DOMAIN copies[p] THEN copies[p][n]
  ELSE IF p \in Sources /\ Offset(state[p]) < Records THEN [state[p] EXCEPT ![1] = @ + 1]
  ELSE state[p]
====
