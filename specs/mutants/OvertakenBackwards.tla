------------------------- MODULE OvertakenBackwards --------------------------
(***************************************************************************)
(* Mutant: the records that a barrier overtakes are recorded in the wrong  *)
(* order, the last one first (A5).                                         *)
(* Overrides Overtaken of UnalignedBarriers.                               *)
(***************************************************************************)
EXTENDS UnalignedBarriers

OvertakenBackwardsOvertaken(c, i) ==
  LET q == Plain(Messages(SubSeq(chan[c], 1, i - 1))) IN [k \in DOMAIN q |-> q[Len(q) + 1 - k]]
====
