-------------------------- MODULE UnalignedBarriers ---------------------------
(***************************************************************************)
(* Flink's unaligned barriers (since 1.11).                                *)
(*                                                                         *)
(* A process records its state at its first barrier and sends barriers on  *)
(* at once.  A barrier overtakes the records queued before it; they, and   *)
(* what is accepted from an input until its barrier comes, are recorded as *)
(* in flight, to be restored before new input.                             *)
(*                                                                         *)
(* It differs from `ChandyLamport' in that a barrier need not be the first *)
(* in its channel to be taken: so a checkpoint does not wait for records.  *)
(*                                                                         *)
(*   Apache Flink's documentation, "Checkpointing under backpressure".     *)
(***************************************************************************)
EXTENDS Barriers

(* Does p record when the barriers of A have arrived?                       *)
RecordsNow(p, A) == A \cap InputsOf[topo][p] # {}                                    \* A5

(* Is what is accepted from c recorded as in flight?                        *)
Logs(c) == Target(c) \in Red /\ c \notin arrived                                     \* A5

(* What is recorded as in flight when the barrier at i of c is taken.       *)
Overtaken(c, i) == Plain(Messages(SubSeq(chan[c], 1, i - 1)))                        \* A5

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ AcceptMessage(c, Logs(c))

Exchange(p) ==                                                                       \* E17
  /\ p \in ProcessesOf[topo]
  /\ AcceptAndSend(p, LAMBDA c : FALSE, Logs)

AcceptBarrier(c) ==
  /\ c \in ChannelsOf[topo]
  /\ \E i \in DOMAIN chan[c] :
       /\ IsBarrier(chan[c][i])
       /\ TakeBarrier(c, i, RecordsNow(Target(c), arrived \cup {c}), Overtaken(c, i))

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E p \in Process : Initiate(p)
  \/ \E c \in Channel : AcceptBarrier(c)

Spec == Init /\ [][Next]_vars

(* A checkpoint waits for barriers alone, not for records.                  *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(AcceptBarrier(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

(* The computation goes on as if there were no checkpoint, but that a       *)
(* barrier has to be taken from in front of a record.                       *)
HoldsNobodyUp == HeldUp(Next, AcceptBarrier) = {}                                    \* E22

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []OneBarrier
THEOREM Spec => []BarrierSeparates
THEOREM Spec => []HoldsNobodyUp
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM AllReachable /\ FairSpec => EventuallyComplete
==============================================================================
