--------------------------- MODULE TimeoutBarriers ----------------------------
(***************************************************************************)
(* Flink's aligned barriers with a timeout.                                *)
(*                                                                         *)
(* It begins as `AlignedBarriers' does.  When aligning takes too long, the *)
(* process records its state, sends barriers on, and goes on as in         *)
(* `UnalignedBarriers': what is accepted from the inputs whose barrier has *)
(* not come is in flight, and barriers overtake.  The inputs whose barrier *)
(* has come stay blocked until all have.                                   *)
(*                                                                         *)
(* It differs from `AlignedBarriers' in TimeOut and what follows it.       *)
(*                                                                         *)
(*   Apache Flink's documentation, "Checkpointing under backpressure", on  *)
(*   the aligned checkpoint timeout.                                       *)
(***************************************************************************)
EXTENDS Barriers

(* May the target of c not accept from it?                                  *)
Blocked(c) == c \in arrived /\ ~AllArrived(Target(c))                                \* A6

(* Does p record when the barriers of A have arrived?                       *)
RecordsNow(p, A) == InputsOf[topo][p] \subseteq A

(* Is what is accepted from c recorded as in flight?                        *)
Logs(c) == Target(c) \in Red /\ c \notin arrived                                     \* A6

(* Only a process that has timed out takes barriers from behind records.    *)
Reachable(c, i) == i \in Positions(chan[c]) \/ Target(c) \in Red

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ ~Blocked(c)
  /\ AcceptMessage(c, Logs(c))

Exchange(p) ==                                                                       \* E17
  /\ p \in ProcessesOf[topo]
  /\ AcceptAndSend(p, Blocked, Logs)

AcceptBarrier(c) ==
  /\ c \in ChannelsOf[topo]
  /\ ~Blocked(c)
  /\ \E i \in DOMAIN chan[c] :
       /\ Reachable(c, i)
       /\ IsBarrier(chan[c][i])
       /\ TakeBarrier(c, i, RecordsNow(Target(c), arrived \cup {c}),
                      Plain(Messages(SubSeq(chan[c], 1, i - 1))))

(* Process p has aligned for too long.                                      *)
TimeOut(p) ==                                                                        \* A6
  /\ p \in ProcessesOf[topo] \ Red
  /\ arrived \cap InputsOf[topo][p] # {}
  /\ Record(p, chan)
  /\ UNCHANGED <<topo, state, recChan, arrived, whiteInRed, redInWhite>>

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E p \in Process : Initiate(p)
  \/ \E c \in Channel : AcceptBarrier(c)
  \/ \E p \in Process : TimeOut(p)

Spec == Init /\ [][Next]_vars

(* Nobody needs to time out.                                                *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c)) /\ WF_vars(AcceptBarrier(c)) /\ WF_vars(Send(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

HoldsNobodyUp == HeldUp(Next, AcceptBarrier) = {}                                    \* E22

(* All that it holds up is what comes behind a barrier, until the barriers  *)
(* of all inputs of the process have arrived.                               *)
HeldIsBlocked ==                                                                     \* E22
  HeldUp(Next, AcceptBarrier) = BehindBarrier({c \in arrived : ~AllArrived(Target(c))})

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []OneBarrier
THEOREM Spec => []BarrierSeparates
THEOREM Spec => []HeldIsBlocked
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM NoCycles /\ AllReachable /\ InputEnabled /\ FairSpec => EventuallyComplete
THEOREM NoCycles /\ AllReachable /\ InputEnabled /\ FairSpec => EverythingArrives
==============================================================================
