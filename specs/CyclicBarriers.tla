---------------------------- MODULE CyclicBarriers ----------------------------
(***************************************************************************)
(* Flink's aligned barriers for graphs with cycles.                        *)
(*                                                                         *)
(* Some channels are marked as back edges, so that the others, the regular *)
(* ones, make no cycle.  Only regular inputs are blocked.  When all their  *)
(* barriers have come, the process records its state, sends barriers on,   *)
(* unblocks, and logs what it accepts on back edges until their barriers   *)
(* return: the log is the state of those channels.                         *)
(*                                                                         *)
(* It differs from `AlignedBarriers' in the back edges and their log.      *)
(*                                                                         *)
(*   P. Carbone et al., arXiv 1506.08603, 2015, Algorithm 2.               *)
(***************************************************************************)
EXTENDS Barriers

ASSUME InitiatorsHaveNoInputs

(* The back edges: those to a process of no greater number.                 *)
IsBack(c)  == Target(c) <= Source(c)
Regular(g) == [g EXCEPT !.channels = {c \in @ : ~IsBack(c)}]

(* A true split: without the back edges everyone is reached, and a back     *)
(* edge returns to where its source was reached from.                       *)
ASSUME BackEdgesSplit ==
  \A t \in DOMAIN Graphs :
    LET g == Graphs[t] IN
    /\ EveryoneReachable(Regular(g))
    /\ \A c \in g.channels : IsBack(c) => Source(c) \in Reach(Regular(g), {Target(c)})

RegularInputs(p) == {c \in InputsOf[topo][p] : ~IsBack(c)}

(* May the target of c not accept from it?                                  *)
Blocked(c) == c \in arrived /\ ~IsBack(c) /\ Target(c) \notin Red                    \* A10

(* Does p record when the barriers of A have arrived?                       *)
RecordsNow(p, A) == RegularInputs(p) \subseteq A                                     \* A10

(* Is what is accepted from c logged?                                       *)
Logs(c) == IsBack(c) /\ Target(c) \in Red /\ c \notin arrived                        \* A10

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

(* Only back edges have a state.                                            *)
OnlyLogs == \A c \in ChannelsOf[topo] : recChan[c] # << >> => IsBack(c)              \* A10

HoldsNobodyUp == HeldUp(Next, AcceptBarrier) = {}                                    \* E22

(* All that it holds up is what comes behind a barrier, but not on a back   *)
(* edge, to a process that has not recorded yet.                            *)
HeldIsBlocked ==                                                                     \* E22
  HeldUp(Next, AcceptBarrier) = BehindBarrier({c \in arrived : ~IsBack(c) /\ Target(c) \notin Red})

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []OnlyLogs
THEOREM Spec => []OneBarrier
THEOREM Spec => []BarrierSeparates
THEOREM Spec => []HeldIsBlocked
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM AllReachable /\ InputEnabled /\ FairSpec => EventuallyComplete
THEOREM AllReachable /\ InputEnabled /\ FairSpec => EverythingArrives
==============================================================================
