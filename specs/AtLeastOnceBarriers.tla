------------------------- MODULE AtLeastOnceBarriers --------------------------
(***************************************************************************)
(* Flink's barriers with alignment skipped (at-least-once).                *)
(*                                                                         *)
(* No input is ever blocked.  A process records its state when the         *)
(* barriers of all inputs have come; what came behind the earlier ones is  *)
(* in that state by then, and will come again when the sources replay.     *)
(*                                                                         *)
(* It differs from `AlignedBarriers' in that Blocked is false.  So it does *)
(* not keep the rule, unless each process has one input only: NoRedInWhite *)
(* and SnapshotConserves are refuted on a join, and hold on a pipeline.    *)
(* That nothing is lost holds everywhere: RecordedIsSSS says of every      *)
(* graph, and of any application, that once the snapshot is complete each  *)
(* white message was accepted in a white action, for nothing is recorded   *)
(* of channels.  A law is kept that allows duplicates, as NothingLost of   *)
(* `Dataflow' does.                                                        *)
(*                                                                         *)
(*   Apache Flink's documentation, "Stateful Stream Processing", on        *)
(*   exactly once and at least once.                                       *)
(***************************************************************************)
EXTENDS Barriers

CONSTANT
  LowerBound(_, _)  \* LowerBound(states, channels): the law with duplicates allowed

ASSUME InitiatorsHaveNoInputs

(* Does p record when the barriers of A have arrived?                       *)
RecordsNow(p, A) == InputsOf[topo][p] \subseteq A

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ AcceptMessage(c, FALSE)

Exchange(p) ==                                                                       \* E17
  /\ p \in ProcessesOf[topo]
  /\ AcceptAndSend(p, LAMBDA c : FALSE, LAMBDA c : FALSE)

AcceptBarrier(c) ==
  /\ c \in ChannelsOf[topo]
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

Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c)) /\ WF_vars(AcceptBarrier(c)) /\ WF_vars(Send(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

SnapshotLosesNothing == Complete => LowerBound(recState, recChan)                    \* A4

Pipeline == \A p \in ProcessesOf[topo] : Cardinality(InputsOf[topo][p]) <= 1

ExactOnPipelines == Pipeline /\ Complete => Conserved(recState, recChan)             \* A4

(* The computation goes on as if there were no checkpoint, but that a       *)
(* barrier has to be taken from in front of a record.                       *)
HoldsNobodyUp == HeldUp(Next, AcceptBarrier) = {}                                    \* E22

(* SnapshotLosesNothing holds of an application whose LowerBound follows    *)
(* from RecordedIsSSS, as that of `Dataflow' does.                          *)
THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []EmptyChannels
THEOREM Spec => []OneBarrier
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []SnapshotLosesNothing
THEOREM Spec => []HoldsNobodyUp
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []ExactOnPipelines
THEOREM NoCycles /\ AllReachable /\ InputEnabled /\ FairSpec => EventuallyComplete
THEOREM Spec /\ []Pipeline => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec /\ []Pipeline => []SnapshotConserves
THEOREM Spec /\ []Pipeline => RefinesWhiteRed
THEOREM Spec /\ []Pipeline => SSSReachable
==============================================================================
