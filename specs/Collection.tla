----------------------------- MODULE Collection ------------------------------
(***************************************************************************)
(* What a snapshot is for.  As soon as its part is complete, each process  *)
(* reports it to a central point, the collector, which assembles SSS from  *)
(* the reports and tests a predicate y of global states on it.  If y is    *)
(* stable (once true it stays true) then                                   *)
(*                                                                         *)
(*   StablePredicate   y(S0) => y(SSS) and y(SSS) => y(S1),                *)
(*                                                                         *)
(* S0 being the state in which the snapshot began and S1 any state after   *)
(* it ended.  SSS shows nothing of an unstable predicate.                  *)
(*                                                                         *)
(* It differs from `ChandyLamport' in the collection only, which takes no  *)
(* part in the computation: reports travel on links of their own, and not  *)
(* on the computation's channels, which need not lead back to the          *)
(* collector.  A report takes arbitrarily long, and may overtake others.   *)
(* So nothing here depends on where the collector is; EWD864a and Chandy   *)
(* and Lamport put it at an initiator, and the least one will do.          *)
(*                                                                         *)
(* The computation goes on after the snapshot, until the verdict.          *)
(*                                                                         *)
(*   E. W. Dijkstra, EWD864a, 1983, its end (E15, E19).                    *)
(*   K. M. Chandy and L. Lamport, "Distributed Snapshots: Determining      *)
(*   Global States of Distributed Systems", TOCS 3(1), 1985, sections 1, 2 *)
(*   and 4.2.                                                              *)
(***************************************************************************)
EXTENDS ChandyLamport

CONSTANT Predicate(_, _)  \* Predicate(states, channels): y, of a global state with
                          \* states being [process -> local state] and
                          \* channels being [channel -> sequence of messages]

VARIABLES
  reports,    \* the reports under way: a function on the processes that sent them
  collected,  \* the reports that have arrived: a function on the processes that sent them
  verdict,    \* the collector's: "pending" until it concludes, then "holds" or "fails"
  \* A ghost: no process can see it.
  S0          \* the global state in which the snapshot began; of no process before that

collection == <<reports, collected, verdict, S0>>
cvars      == <<vars, collection>>

Holds(global) == Predicate(global.states, global.channels)

SSS == [states |-> recState, channels |-> recChan]

(* The global state now.  Once the snapshot has ended, this is S1.          *)
S1 == [states |-> state, channels |-> [c \in DOMAIN chan |-> Plain(Messages(chan[c]))]]

CInit ==
  /\ Init
  /\ reports   = << >>
  /\ collected = << >>
  /\ verdict   = "pending"
  /\ S0        = [states |-> << >>, channels |-> << >>]

------------------------------------------------------------------------------

Reported == DOMAIN reports \cup DOMAIN collected

(* Is it time for p to report?                                              *)
MayReport(p) == p \notin Reported /\ LocallyComplete(p)                               \* E15

(* What p reports: its recorded state and those of its inputs.  It keeps    *)
(* them as they are.                                                        *)
SendReport(p) ==                                                                     \* E15, E19
  /\ reports' = reports @@ (p :> [state    |-> recState[p],
                                  channels |-> [c \in InputsOf[topo][p] |-> recChan[c]]])
  /\ UNCHANGED vars

(* May the collector conclude?  When all reports have arrived.              *)
MayConclude == DOMAIN collected = ProcessesOf[topo]

------------------------------------------------------------------------------

(* The global state that the collector puts together.                       *)
Assembled ==
  [states   |-> [p \in DOMAIN collected |-> collected[p].state],
   channels |-> [c \in UNION {DOMAIN collected[p].channels : p \in DOMAIN collected} |->
                   collected[Target(c)].channels[c]]]

CAccept(c)       == Accept(c)       /\ UNCHANGED collection
CSend(c)         == Send(c)         /\ UNCHANGED collection
CInternal(p)     == Internal(p)     /\ UNCHANGED collection
CExchange(p)     == Exchange(p)     /\ UNCHANGED collection
CAcceptMarker(c) == AcceptMarker(c) /\ UNCHANGED collection

(* The first to initiate begins the snapshot.                               *)
CInitiate(p) ==
  /\ Initiate(p)
  /\ S0' = IF Red = {} THEN S1 ELSE S0
  /\ UNCHANGED <<reports, collected, verdict>>

Report(p) ==
  /\ p \in ProcessesOf[topo]
  /\ MayReport(p)
  /\ SendReport(p)
  /\ UNCHANGED <<collected, verdict, S0>>

Collect(p) ==
  /\ p \in DOMAIN reports
  /\ collected' = collected @@ (p :> reports[p])
  /\ reports'   = [q \in DOMAIN reports \ {p} |-> reports[q]]
  /\ UNCHANGED <<vars, verdict, S0>>

Conclude ==                                                                          \* E19
  /\ verdict = "pending"
  /\ MayConclude
  /\ verdict' = IF Holds(Assembled) THEN "holds" ELSE "fails"
  /\ UNCHANGED <<vars, reports, collected, S0>>

CNext ==
  \/ \E c \in Channel : CAccept(c)
  \/ \E c \in Channel : CSend(c)
  \/ \E p \in Process : CInternal(p)
  \/ \E p \in Process : CExchange(p)
  \/ \E p \in Process : CInitiate(p)
  \/ \E c \in Channel : CAcceptMarker(c)
  \/ \E p \in Process : Report(p)
  \/ \E p \in Process : Collect(p)
  \/ Conclude

CSpec == CInit /\ [][CNext]_cvars

(* Besides what the snapshot needs (E18): who may report does, and reports  *)
(* arrive.                                                                  *)
CFairness ==
  /\ \A c \in FairChannels : WF_cvars(CAccept(c)) /\ WF_cvars(CAcceptMarker(c))
  /\ \A p \in Process : WF_cvars(CInitiate(p)) /\ WF_cvars(Report(p)) /\ WF_cvars(Collect(p))
  /\ WF_cvars(Conclude)

CFairSpec == CSpec /\ CFairness

------------------------------------------------------------------------------

IsReport(r, p) == DOMAIN r = {"state", "channels"} /\ DOMAIN r.channels = InputsOf[topo][p]

CTypeOK ==
  /\ TypeOK
  /\ DOMAIN reports \cap DOMAIN collected = {}
  /\ Reported \subseteq ProcessesOf[topo]
  /\ \A p \in DOMAIN reports : IsReport(reports[p], p)
  /\ \A p \in DOMAIN collected : IsReport(collected[p], p)
  /\ verdict \in {"pending", "holds", "fails"}
  /\ DOMAIN S0.states = (IF Red = {} THEN {} ELSE ProcessesOf[topo])
  /\ DOMAIN S0.channels = (IF Red = {} THEN {} ELSE ChannelsOf[topo])

Concluded == verdict # "pending"

(* What the collector judged is the snapshot, complete and final.           *)
AssembledIsSSS == Concluded => Complete /\ Assembled = SSS                           \* E15, E19

(* Once true, y stays true.                                                 *)
PredicateIsStable == [][Holds(S1) => Holds(S1')]_cvars                               \* E19

StablePredicate ==                                                                   \* E19
  Concluded => /\ Holds(S0) => verdict = "holds"
               /\ verdict = "holds" => Holds(S1)

EventuallyConcluded == <>Concluded                                                   \* E15, E18, E19

(* It detects that y holds, and says so only if it does.                    *)
TD == INSTANCE TerminationDetection WITH over <- Holds(S1), detected <- verdict = "holds"

RefinesTerminationDetection == TD!Spec                                               \* E19

(* If y held when the snapshot began, the verdict will be that it does.     *)
(* (If it came to hold later, another snapshot may be needed.)              *)
EventuallyDetected == <>[](Holds(S0) => verdict = "holds")                          \* E15, E18, E19

(* The collection only watches.                                             *)
CL == INSTANCE ChandyLamport

RefinesChandyLamport == CL!Spec                                                      \* E19

------------------------------------------------------------------------------

(* The four ways in which it can end.  A check of StablePredicate shows     *)
(* something only if each is reached.                                       *)
HeldBefore == Concluded /\ Holds(S0)
CameToHold == verdict = "holds" /\ ~Holds(S0)
Missed     == verdict = "fails" /\ Holds(S1)
NotYet     == verdict = "fails" /\ ~Holds(S1)

------------------------------------------------------------------------------

THEOREM CSpec => []CTypeOK
THEOREM CSpec => []AssembledIsSSS
THEOREM (Underlying!Spec => []Underlying!Law) /\ CSpec => []SnapshotConserves
THEOREM CSpec /\ PredicateIsStable => []StablePredicate
THEOREM CSpec => RefinesChandyLamport
THEOREM CSpec /\ PredicateIsStable => RefinesTerminationDetection
THEOREM AllReachable /\ InputEnabled /\ CFairSpec => EventuallyConcluded
THEOREM AllReachable /\ InputEnabled /\ CFairSpec => EventuallyDetected
==============================================================================
