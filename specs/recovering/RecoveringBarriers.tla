------------------------- MODULE RecoveringBarriers --------------------------
(***************************************************************************)
(* Checkpoints during recovery (Apache Flink, FLIP-547, FLINK-38544): what *)
(* was in flight at a crash is read from a file, record by record, into    *)
(* the inputs of the task, which accepts at the same time; and a barrier   *)
(* may come before all is read.                                            *)
(*                                                                         *)
(* It differs from `RecoveredAtOnce' in the steps of the drainer, which    *)
(* works beside the task: it takes a record out of the file, and puts it   *)
(* in its input.  A checkpoint that begins must find each record in        *)
(* exactly one place, so it begins only while the drainer holds none       *)
(* (`MayBegin': they share a lock).  What is restored is then logged once  *)
(* and for all, wherever it is.                                            *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
  Inputs,     \* the inputs of the task
  Restored,   \* how many records a crash brings back in each input
  Fresh       \* how many records more are sent on each input

VARIABLES
  file,       \* [input -> the records that the drainer has not taken out yet]
  hand,       \* << >>, or <<input, record>>: what the drainer holds
  recovered,  \* [input -> the restored records that are in it]
  recovering, \* the inputs whose restored records have not all been accepted
  network,    \* [input -> what was sent on it since the crash, and 0 for the barrier]
  taken,      \* [input -> the records that the task has accepted]
  ahead,      \* [input -> how many records are ahead of its barrier, or -1 before that is sent]
  recorded,   \* << >>, or what `taken' was as the task recorded its state
  logged,     \* [input -> the records that the checkpoint has as in flight]
  awaited     \* the inputs of which the barrier has not been accepted

vars == <<file, hand, recovered, recovering, network, taken, ahead, recorded, logged, awaited>>

Barrier == 0
NotSent == -1
Upto(n) == [k \in 1..n |-> k]
Empty   == [i \in Inputs |-> << >>]

Records(q) == SelectSeq(q, LAMBDA r : r # Barrier)
Held(i)    == IF hand # << >> /\ hand[1] = i THEN <<hand[2]>> ELSE << >>

(* What was restored and has not been accepted, in order, wherever it is.   *)
InFlight(i) == recovered[i] \o Held(i) \o file[i]

TypeOK ==
  /\ \A i \in Inputs : \A q \in {file[i], recovered[i]} : \A k \in DOMAIN q : q[k] \in 1..Restored
  /\ hand = << >> \/ hand \in Inputs \X (1..Restored)
  /\ recovering \subseteq Inputs
  /\ \A i \in Inputs : \A k \in DOMAIN network[i] : network[i][k] \in {Barrier} \cup Restored+1..Restored+Fresh
  /\ \A i \in Inputs : Len(taken[i]) <= Restored + Fresh
  /\ \A i \in Inputs : ahead[i] \in {NotSent} \cup Restored..Restored+Fresh
  /\ recorded = << >> \/ DOMAIN recorded = Inputs
  /\ DOMAIN logged = Inputs
  /\ awaited \subseteq Inputs

Init ==
  /\ file       = [i \in Inputs |-> Upto(Restored)]
  /\ hand       = << >>
  /\ recovered  = Empty
  /\ recovering = Inputs
  /\ network    = Empty
  /\ taken      = Empty
  /\ ahead      = [i \in Inputs |-> NotSent]
  /\ recorded   = << >>
  /\ logged     = Empty
  /\ awaited    = Inputs

------------------------------------------------------------------------------

(* The lock; what of an input is logged as the checkpoint begins, and       *)
(* nothing of it again as it is accepted; the order of an input.            *)
MayBegin          == hand = << >>
LoggedAtBegin(i)  == recovered[i] \o file[i]
LogsRestored(i)   == FALSE
MayAcceptFresh(i) == i \notin recovering

------------------------------------------------------------------------------

(* The records of an input are numbered as they were sent.                  *)
LastSent(i) == Len(taken[i]) + Len(InFlight(i)) + Len(Records(network[i]))

Send(i) ==
  /\ LastSent(i) < Restored + Fresh
  /\ network' = [network EXCEPT ![i] = Append(@, LastSent(i) + 1)]
  /\ UNCHANGED <<file, hand, recovered, recovering, taken, ahead, recorded, logged, awaited>>

SendBarrier(i) ==
  /\ ahead[i] = NotSent
  /\ ahead'   = [ahead EXCEPT ![i] = LastSent(i)]
  /\ network' = [network EXCEPT ![i] = Append(@, Barrier)]
  /\ UNCHANGED <<file, hand, recovered, recovering, taken, recorded, logged, awaited>>

(* The drainer, which is no part of the task's thread.                      *)
TakeOut(i) ==
  /\ hand = << >>
  /\ file[i] # << >>
  /\ hand' = <<i, Head(file[i])>>
  /\ file' = [file EXCEPT ![i] = Tail(@)]
  /\ UNCHANGED <<recovered, recovering, network, taken, ahead, recorded, logged, awaited>>

PutIn ==
  /\ hand # << >>
  /\ recovered' = [recovered EXCEPT ![hand[1]] = Append(@, hand[2])]
  /\ hand'      = << >>
  /\ UNCHANGED <<file, recovering, network, taken, ahead, recorded, logged, awaited>>

AcceptRestored(i) ==
  /\ recovered[i] # << >>
  /\ taken'     = [taken EXCEPT ![i] = Append(@, Head(recovered[i]))]
  /\ recovered' = [recovered EXCEPT ![i] = Tail(@)]
  /\ logged'    = IF LogsRestored(i) THEN [logged EXCEPT ![i] = Append(@, Head(recovered[i]))] ELSE logged
  /\ UNCHANGED <<file, hand, recovering, network, ahead, recorded, awaited>>

(* The task has accepted all that was restored in input i.                  *)
Recover(i) ==
  /\ i \in recovering
  /\ InFlight(i) = << >>
  /\ recovering' = recovering \ {i}
  /\ UNCHANGED <<file, hand, recovered, network, taken, ahead, recorded, logged, awaited>>

(* A record that comes ahead of a barrier which is awaited is logged.       *)
Accept(i) ==
  /\ MayAcceptFresh(i)
  /\ network[i] # << >>
  /\ Head(network[i]) # Barrier
  /\ taken'   = [taken EXCEPT ![i] = Append(@, Head(network[i]))]
  /\ network' = [network EXCEPT ![i] = Tail(@)]
  /\ logged'  = IF recorded # << >> /\ i \in awaited
                  THEN [logged EXCEPT ![i] = Append(@, Head(network[i]))] ELSE logged
  /\ UNCHANGED <<file, hand, recovered, recovering, ahead, recorded, awaited>>

HasBarrier(i) == \E k \in DOMAIN network[i] : network[i][k] = Barrier
Overtaken(i)  == SelectSeq(Records(network[i]), LAMBDA r : r <= ahead[i])

(* The first barrier begins the checkpoint: the task records its state, and *)
(* logs of every input what was restored; each barrier overtakes what was   *)
(* sent ahead of it, which is logged, too.                                  *)
AcceptBarrier(i) ==
  /\ i \in awaited
  /\ HasBarrier(i)
  /\ recorded = << >> => MayBegin
  /\ recorded' = IF recorded = << >> THEN taken ELSE recorded
  /\ logged'   = [j \in Inputs |-> logged[j] \o (IF recorded = << >> THEN LoggedAtBegin(j) ELSE << >>)
                                             \o (IF j = i THEN Overtaken(i) ELSE << >>)]
  /\ network'  = [network EXCEPT ![i] = Records(@)]
  /\ awaited'  = awaited \ {i}
  /\ UNCHANGED <<file, hand, recovered, recovering, taken, ahead>>

Next ==
  \/ PutIn
  \/ \E i \in Inputs : \/ Send(i) \/ SendBarrier(i)
                       \/ TakeOut(i) \/ AcceptRestored(i) \/ Recover(i)
                       \/ Accept(i) \/ AcceptBarrier(i)

Spec == Init /\ [][Next]_vars

Fairness ==
  /\ WF_vars(PutIn)
  /\ \A i \in Inputs : /\ WF_vars(SendBarrier(i)) /\ WF_vars(AcceptBarrier(i))
                       /\ WF_vars(TakeOut(i)) /\ WF_vars(AcceptRestored(i)) /\ WF_vars(Recover(i))
                       /\ WF_vars(Accept(i))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

Complete == recorded # << >> /\ awaited = {}

(* What the checkpoint has of an input, accepted or in flight, is what was  *)
(* sent ahead of its barrier: each record once, and in order.               *)
Exact == Complete => \A i \in Inputs : recorded[i] \o logged[i] = Upto(ahead[i])  \* A5

InOrder == \A i \in Inputs : taken[i] = Upto(Len(taken[i]))                       \* A5

(* To a reader who sees neither file nor drainer, all that was in flight    *)
(* came back at once.  What was restored is logged as the checkpoint        *)
(* begins, there as it is accepted or overtaken.                            *)
AtOnce == INSTANCE RecoveredAtOnce WITH
            channel <- [i \in Inputs |-> InFlight(i) \o network[i]],
            logged  <- [i \in Inputs |-> IF i \in awaited
                                           THEN SelectSeq(logged[i], LAMBDA r : r <= Len(taken[i]))
                                           ELSE logged[i]]

RefinesAtOnce == AtOnce!Spec                                                   \* A5

EventuallyComplete == <>[]Complete                                             \* A5

RestoredAccepted == <>[](\A i \in Inputs : Len(taken[i]) >= Restored)

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Spec => []Exact
THEOREM Spec => []InOrder
THEOREM Spec => RefinesAtOnce
THEOREM FairSpec => EventuallyComplete
THEOREM FairSpec => RestoredAccepted
==============================================================================
