---- MODULE ForgetToRecord ----
(***************************************************************************)
(* Mutant: only sources record (E13).                                      *)
(* Overrides TakeBarrier of Barriers.                                      *)
(***************************************************************************)
EXTENDS Barriers

ForgetToRecordTakeBarrier(c, i, says, overtaken) ==
  /\ IsBarrier(chan[c][i])
  /\ chan'    = [chan EXCEPT ![c] = Without(@, i)]
  /\ arrived' = arrived \cup {c}
  /\ recChan' = [recChan EXCEPT ![c] = @ \o overtaken]
  /\ UNCHANGED <<topo, state, recState, whiteInRed, redInWhite>>
====
