-------------------------- MODULE RecoveredAtOnce ---------------------------
(***************************************************************************)
(* A task of a stream processor, its inputs, and one unaligned checkpoint  *)
(* after a crash, where all that was in flight is in the inputs again at   *)
(* once: one step, as in `Checkpoints'.                                    *)
(*                                                                         *)
(* `RecoveringBarriers' says the same of inputs that fill while the task   *)
(* already accepts and the checkpoint begins; it refines this module.      *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
  Inputs,    \* the inputs of the task
  Restored,  \* how many records a crash brings back in each input
  Fresh      \* how many records more are sent on each input

VARIABLES
  channel,   \* [input -> the records in it, and 0 for the barrier]
  taken,     \* [input -> the records that the task has accepted]
  ahead,     \* [input -> how many records are ahead of its barrier, or -1 before that is sent]
  recorded,  \* << >>, or what `taken' was as the task recorded its state
  logged,    \* [input -> the records that the checkpoint has as in flight]
  awaited    \* the inputs of which the barrier has not been accepted

vars == <<channel, taken, ahead, recorded, logged, awaited>>

Barrier == 0
NotSent == -1
Upto(n) == [k \in 1..n |-> k]
Empty   == [i \in Inputs |-> << >>]

Records(q) == SelectSeq(q, LAMBDA r : r # Barrier)

(* The records of an input are numbered as they were sent.                  *)
LastSent(i) == Len(taken[i]) + Len(Records(channel[i]))

HasBarrier(i) == \E k \in DOMAIN channel[i] : channel[i][k] = Barrier
Overtaken(i)  == SubSeq(channel[i], 1, ahead[i] - Len(taken[i]))

Init ==
  /\ channel  = [i \in Inputs |-> Upto(Restored)]
  /\ taken    = Empty
  /\ ahead    = [i \in Inputs |-> NotSent]
  /\ recorded = << >>
  /\ logged   = Empty
  /\ awaited  = Inputs

Send(i) ==
  /\ LastSent(i) < Restored + Fresh
  /\ channel' = [channel EXCEPT ![i] = Append(@, LastSent(i) + 1)]
  /\ UNCHANGED <<taken, ahead, recorded, logged, awaited>>

SendBarrier(i) ==
  /\ ahead[i] = NotSent
  /\ ahead'   = [ahead EXCEPT ![i] = LastSent(i)]
  /\ channel' = [channel EXCEPT ![i] = Append(@, Barrier)]
  /\ UNCHANGED <<taken, recorded, logged, awaited>>

(* A record that comes ahead of a barrier which is awaited is logged.       *)
Accept(i) ==
  /\ channel[i] # << >>
  /\ Head(channel[i]) # Barrier
  /\ taken'   = [taken EXCEPT ![i] = Append(@, Head(channel[i]))]
  /\ channel' = [channel EXCEPT ![i] = Tail(@)]
  /\ logged'  = IF recorded # << >> /\ i \in awaited
                  THEN [logged EXCEPT ![i] = Append(@, Head(channel[i]))] ELSE logged
  /\ UNCHANGED <<ahead, recorded, awaited>>

(* A barrier overtakes what is ahead of it, which is logged; the first one  *)
(* makes the task record its state.                                         *)
AcceptBarrier(i) ==
  /\ i \in awaited
  /\ HasBarrier(i)
  /\ recorded' = IF recorded = << >> THEN taken ELSE recorded
  /\ logged'   = [logged EXCEPT ![i] = @ \o Overtaken(i)]
  /\ channel'  = [channel EXCEPT ![i] = Records(@)]
  /\ awaited'  = awaited \ {i}
  /\ UNCHANGED <<taken, ahead>>

Next == \E i \in Inputs : Send(i) \/ SendBarrier(i) \/ Accept(i) \/ AcceptBarrier(i)

Spec == Init /\ [][Next]_vars
==============================================================================
