--------------------------- MODULE AlignedBarriers ----------------------------
(***************************************************************************)
(* Flink's aligned barriers (exactly-once), for graphs without cycles.     *)
(*                                                                         *)
(* An input whose barrier has come is blocked.  When the barriers of all   *)
(* inputs have come, the process records its state, sends barriers on, and *)
(* unblocks its inputs.  Nothing is recorded of channels: they are empty.  *)
(*                                                                         *)
(* It differs from `ChandyLamport' in that a process records at its last   *)
(* barrier, not at its first one, and blocks where that one records.       *)
(*                                                                         *)
(*   P. Carbone et al., arXiv 1506.08603, 2015, Algorithm 1.               *)
(***************************************************************************)
EXTENDS Barriers

ASSUME InitiatorsHaveNoInputs

(* May the target of c not accept from it?                                  *)
Blocked(c) == c \in arrived /\ Target(c) \notin Red                                  \* A11

(* Does p record when the barriers of A have arrived?                       *)
RecordsNow(p, A) == InputsOf[topo][p] \subseteq A                                    \* A11

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ ~Blocked(c)
  /\ AcceptMessage(c, FALSE)

Exchange(p) ==                                                                       \* E17
  /\ p \in ProcessesOf[topo]
  /\ AcceptAndSend(p, Blocked, LAMBDA c : FALSE)

AcceptBarrier(c) ==
  /\ c \in ChannelsOf[topo]
  /\ ~Blocked(c)
  /\ \E i \in Positions(chan[c]) :
       TakeBarrier(c, i, RecordsNow(Target(c), arrived \cup {c}), << >>)

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E p \in Process : Initiate(p)
  \/ \E c \in Channel : AcceptBarrier(c)

Spec == Init /\ [][Next]_vars

(* Every record and every barrier is eventually accepted, every record is   *)
(* passed on, and the sources do hear of the checkpoint.                    *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c)) /\ WF_vars(AcceptBarrier(c)) /\ WF_vars(Send(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

HoldsNobodyUp == HeldUp(Next, AcceptBarrier) = {}                                    \* E22

(* All that it holds up is what comes after a barrier to a process that     *)
(* has not recorded yet.                                                    *)
HeldIsBlocked ==                                                                     \* E22
  HeldUp(Next, AcceptBarrier) = BehindBarrier({c \in arrived : Target(c) \notin Red})

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []EmptyChannels
THEOREM Spec => []OneBarrier
THEOREM Spec => []BarrierSeparates
THEOREM Spec => []HeldIsBlocked
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM NoCycles /\ AllReachable /\ InputEnabled /\ FairSpec => EventuallyComplete
THEOREM NoCycles /\ AllReachable /\ InputEnabled /\ FairSpec => EverythingArrives
==============================================================================
