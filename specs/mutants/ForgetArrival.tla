---------------------------- MODULE ForgetArrival ---------------------------
(***************************************************************************)
(* Mutant: a process forgets that a barrier has arrived (E11).             *)
(* Overrides TakeBarrier of Barriers.                                      *)
(***************************************************************************)
EXTENDS Barriers

ForgetArrivalTakeBarrier(c, i, says, overtaken) ==
  LET p  == Target(c)
      ch == [chan EXCEPT ![c] = Without(@, i)]
  IN  /\ IsBarrier(chan[c][i])
      /\ IF says /\ p \notin Red THEN Record(p, ch) ELSE chan' = ch /\ UNCHANGED recState
      /\ recChan' = [recChan EXCEPT ![c] = @ \o overtaken]
      /\ UNCHANGED <<topo, state, arrived, whiteInRed, redInWhite>>
==============================================================================
