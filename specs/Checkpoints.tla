----------------------------- MODULE Checkpoints ------------------------------
(***************************************************************************)
(* A stream processor that takes checkpoints, fails, and recovers: what    *)
(* Flink's barriers are for.                                               *)
(*                                                                         *)
(* A coordinator triggers checkpoints, by ascending numbers; the sources   *)
(* send barriers; each task does with them what `BarrierHandler' says and  *)
(* acknowledges, at once or when what it recorded is durable; a checkpoint *)
(* that every task has acknowledged is complete.  Of those that overlap, a *)
(* newer complete one subsumes the older (Flink), or they are completed in *)
(* their order (Spark's epochs).  A task may decline, and abort.  After a  *)
(* crash all tasks begin again from the newest complete checkpoint: their  *)
(* states, the records in flight, the sources' offsets.                    *)
(*                                                                         *)
(* Sinks have two outputs: a plain one that sees each record as it comes,  *)
(* and one with two-phase commit, whose records are staged at a barrier    *)
(* and committed when that checkpoint is complete.                         *)
(*                                                                         *)
(* It differs from `Barriers' in that there are several checkpoints, and   *)
(* something is done with them; there are no colours.                      *)
(*                                                                         *)
(*   Apache Flink's documentation, "Fault Tolerance via State Snapshots".  *)
(***************************************************************************)
EXTENDS Application, Dataflow, BarrierHandler

CONSTANTS
  MaxCheckpoints,  \* how many checkpoints are triggered
  Overlap,         \* 0: one at a time; 1: also while earlier ones are pending, and a newer complete one
                   \* subsumes them; 2: also, and they are completed in their order
  MaxDeclines,     \* how many a source may decline
  MaxCrashes,      \* how often all tasks crash
  Ends,            \* 1: a source that has emitted all its records ends; 0: it does not
  Savepoint,       \* the checkpoint that is aligned whatever the mode, if barriers align; 0: none
  Uploads          \* 1: what a task records is durable, and acknowledged, some time later; 0: at once

VARIABLES
  topo,       \* the name of the graph; it never changes
  state,      \* [process -> its local state]
  chan,       \* [channel -> records, barriers, cancellations and ends, first to be accepted first]
  task,       \* [process -> its part of the checkpoints, see BarrierHandler]
  copies,     \* [process -> [id -> the state it recorded]] of checkpoints whose barriers it waits for
  uploads,    \* [process -> [id -> the state and the log]] of those that it has recorded, and that are not durable
  ended,      \* the processes at their end
  triggered,  \* the highest id that the coordinator triggered
  acks,       \* [id -> [process -> the state and the log it acknowledged]], of what may be restored
  completed,  \* the complete checkpoints
  aborted,    \* those that will never be complete
  declines,   \* how many were declined
  crashes,    \* how often all tasks crashed
  output,     \* [sink -> [source -> [number -> how often that record was put out]]]
  open,       \* [sink -> the same of the records since its last barrier]
  staged,     \* [sink -> [id -> the same of the records between that barrier and the one before]]
  committed,  \* [sink -> the same of the records that were committed]
  \* A ghost: no task can see it.
  aborts      \* [process -> [id -> how often it aborted that]]

vars == <<topo, state, chan, task, copies, uploads, ended, triggered, acks, completed, aborted, declines, crashes,
          output, open, staged, committed, aborts>>

coordinator == <<triggered, declines, crashes>>

Id == 1..MaxCheckpoints

Rec(r)       == [msg |-> r]
Cancel(n)    == [control |-> "cancel", id |-> n]
End          == [control |-> "end"]
IsRecord(e)  == "msg" \in DOMAIN e
IsA(e, kind) == ~IsRecord(e) /\ e.control = kind
RecordsIn(q) == LET r == SelectSeq(q, IsRecord) IN [i \in DOMAIN r |-> r[i].msg]

Sources == {p \in ProcessesOf[topo] : InputsOf[topo][p] = {}}
Sinks   == {p \in ProcessesOf[topo] : OutputsOf[topo][p] = {}}

Beginning(t) == CHOOSE s \in InitialStates(Graphs[t]) : TRUE
SinksOf(t)   == {p \in ProcessesOf[t] : OutputsOf[t][p] = {}}
Nothing(t)   == Folded(Beginning(t)[1])

Init ==
  /\ topo      \in DOMAIN Graphs
  /\ state     = Beginning(topo)
  /\ chan      = [c \in ChannelsOf[topo] |-> << >>]
  /\ task      = [p \in ProcessesOf[topo] |-> NewTask]
  /\ copies    = [p \in ProcessesOf[topo] |-> << >>]
  /\ uploads   = [p \in ProcessesOf[topo] |-> << >>]
  /\ ended     = {}
  /\ triggered = 0
  /\ acks      = [n \in Id |-> << >>]
  /\ completed = {}
  /\ aborted   = {}
  /\ declines  = 0
  /\ crashes   = 0
  /\ output    = [p \in SinksOf(topo) |-> Nothing(topo)]
  /\ open      = [p \in SinksOf(topo) |-> Nothing(topo)]
  /\ staged    = [p \in SinksOf(topo) |-> << >>]
  /\ committed = [p \in SinksOf(topo) |-> Nothing(topo)]
  /\ aborts    = [p \in ProcessesOf[topo] |-> [n \in Id |-> 0]]

Highest(S) == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : m <= n
Lowest(S)  == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : n <= m

(* A bag [source -> [number -> how often]] with all of `bags' added to it.  *)
Together(bag, bags) ==
  [q \in DOMAIN bag |-> [n \in DOMAIN bag[q] |-> bag[q][n] + Total([i \in DOMAIN bags |-> bags[i][q][n]])]]

------------------------------------------------------------------------------

(* The decisions; more are in `BarrierHandler'.                             *)

(* May the next checkpoint be triggered?                                    *)
MayTrigger == Overlap # 0 \/ triggered = 0 \/ triggered \in completed \cup aborted

(* Does a task acknowledge what it records as soon as it has recorded it?   *)
AcknowledgesAtOnce == Uploads = 0                                                    \* A8

(* Is a checkpoint complete that the processes of A have acknowledged?      *)
Acknowledged(A) == DOMAIN task \subseteq A                                           \* A8

(* The checkpoint that p restores; 0 is the beginning.                      *)
RestoredFrom(p) == Highest(completed)                                                \* A2

(* May a sink commit what it staged for checkpoint n?                       *)
MayCommit(n) == n \in completed                                                      \* A3

(* What sink p commits, of what it staged, when checkpoint n is complete:   *)
(* that of the checkpoints that n subsumes too.                             *)
Committable(p, n) == {m \in DOMAIN staged[p] : m <= n}                               \* A3

(* Of the processes at their end those that acknowledge n as they are: for  *)
(* whom n is newer than the last one that they have dealt with.             *)
AtEnd(over, n) == {p \in over : task'[p].last < n}                                   \* A9

(* Of `whole', all of which everyone has acknowledged, those that are       *)
(* complete; `off' is aborted.                                              *)
InTurn(whole, off) ==                                                                \* A8
  IF Overlap = 2 THEN {n \in whole : 1..n \subseteq whole \cup completed \cup off} ELSE whole

(* The one of the checkpoints that are complete now for which sink q stages *)
(* what it has put out at its end: the first that it is in as it is.        *)
StagedAtEnd(q, new, ack) == Lowest({n \in new : q \notin DOMAIN ack[n]})              \* A3

(* What sink q has staged when it stages for n what it has put out since    *)
(* the barrier before.                                                      *)
StagedWith(q, n) == staged[q] @@ (n :> open[q])                                      \* A3

(* Does p put out the records that it accepts?                              *)
PutsOut(p) == p \in Sinks                                                            \* A3

(* The older checkpoints that nobody waits for when n is complete.          *)
Subsumed(n) == IF Overlap = 2 THEN {} ELSE 1..n                                      \* A8

------------------------------------------------------------------------------

(* What the coordinator knows when `ack' was acknowledged, `off' aborted,   *)
(* and the processes of `over' are at their end, which acknowledge forever  *)
(* after.  Sink p stages for checkpoint n what it has put out since the     *)
(* barrier before, unless n is 0.                                           *)
Account(ack, off, over, p, n) ==
  LET new    == InTurn({m \in 1..triggered \ off : Acknowledged(DOMAIN ack[m] \cup AtEnd(over, m))}, off)
      whole  == completed \cup new
      newest == Highest(whole)
      gone   == off \cup (Subsumed(newest) \ whole)
      final  == [q \in over |-> [state |-> state[q], log |-> [c \in InputsOf[topo][q] |-> << >>]]]
      For(q) == IF q = p /\ n # 0 THEN n
                ELSE IF q \in over /\ open[q] # Nothing(topo) THEN StagedAtEnd(q, new \ completed, ack)
                ELSE 0
  IN  /\ completed' = whole
      /\ aborted'   = gone
      /\ acks'      = [m \in Id |->
                         IF m \in gone \/ m < newest THEN << >>
                         ELSE IF m \in whole \ completed
                         THEN ack[m] @@ final
                         ELSE ack[m]]
      /\ ended'     = over
      /\ staged'    = [q \in DOMAIN staged |-> IF For(q) # 0 THEN StagedWith(q, For(q)) ELSE staged[q]]
      /\ open'      = [q \in DOMAIN open |-> IF For(q) # 0 THEN Nothing(topo) ELSE open[q]]

(* The state that p has recorded for checkpoint n, or records now.          *)
Copy(p, n) == IF n \in DOMAIN copies[p] THEN copies[p][n] ELSE state[p]              \* A1, A2

(* What p has recorded when it has done what the handler says.              *)
Recorded(p, h) ==
  [n \in {h.done[i].id : i \in DOMAIN h.done} |->
     LET Is(pe) == pe.id = n IN [state |-> Copy(p, n), log |-> SelectSeq(h.done, Is)[1].log]]

(* What is acknowledged when p acknowledges `parts' too.                    *)
Acked(p, parts) == [n \in Id |-> IF n \in DOMAIN parts THEN acks[n] @@ (p :> parts[n]) ELSE acks[n]]

Elements(h) ==
  [i \in DOMAIN h.aborted |-> Cancel(h.aborted[i])]
  \o [i \in DOMAIN h.triggered |-> Barrier(h.triggered[i], h.alignment)]
  \o (IF h.ends THEN <<End>> ELSE << >>)

In(x, q) == \E i \in DOMAIN q : q[i] = x

(* Process p does what the handler says, `taken' being the channels then.   *)
(* (With \E it is worked out once.  What is given to an operator TLC works  *)
(* out again wherever it is named, when it asks whether a step is enabled.) *)
Settle(p, said, taken) ==
  \E h \in {said} :
    /\ task'   = [task EXCEPT ![p] = h.task]
    /\ chan'   = [c \in DOMAIN chan |-> IF Source(c) = p THEN taken[c] \o Elements(h) ELSE taken[c]]
    /\ copies' = [copies EXCEPT ![p] =
                    [n \in {h.task.pending[i].id : i \in {j \in DOMAIN h.task.pending : h.task.pending[j].taken}}
                       |-> Copy(p, n)]]
    /\ aborts' = [aborts EXCEPT ![p] = [n \in Id |-> @[n] + (IF In(n, h.aborted) THEN 1 ELSE 0)]]
    /\ uploads' = [uploads EXCEPT ![p] = IF Uploads = 1 THEN @ @@ Recorded(p, h) ELSE @]
    /\ Account(IF AcknowledgesAtOnce THEN Acked(p, Recorded(p, h)) ELSE acks,
               aborted \cup ({h.aborted[i] : i \in DOMAIN h.aborted} \ completed),
               ended \cup (IF h.ends THEN {p} ELSE {}),
               p, IF h.triggered # << >> THEN h.triggered[1] ELSE 0)

------------------------------------------------------------------------------

Trigger ==
  /\ triggered < MaxCheckpoints
  /\ MayTrigger
  /\ Sources \ ended # {}
  /\ triggered' = triggered + 1
  /\ UNCHANGED <<topo, state, chan, task, copies, uploads, ended, acks, completed, aborted, declines, crashes,
                 output, open, staged, committed, aborts>>

(* The checkpoint that source p hears of: the newest, or, where they are    *)
(* completed in their order, each one.                                      *)
NewsFor(p) ==                                                                        \* A8
  IF Overlap = 2 THEN Lowest((task[p].last + 1)..triggered \ (completed \cup aborted)) ELSE triggered

(* A source hears of a checkpoint that it has not dealt with.               *)
Hears(p) == /\ p \in Sources \ ended
            /\ task[p].last < NewsFor(p)
            /\ NewsFor(p) \notin completed \cup aborted

Answer(p, recorded, done, off) ==
  [Handled([task[p] EXCEPT !.last = NewsFor(p)], recorded, done, off, FALSE)
     EXCEPT !.alignment = IF NewsFor(p) = Savepoint THEN OfSavepoint ELSE @]

(* A source records its offset and sends a barrier ...                      *)
Inject(p) ==
  /\ Hears(p)
  /\ Settle(p, Answer(p, <<NewsFor(p)>>, <<Began({}, task[p], Barrier(NewsFor(p), OfMode))>>, << >>), chan)
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

(* ... or declines, and sends a cancellation.                               *)
Decline(p) ==                                                                        \* A7
  /\ Hears(p)
  /\ declines < MaxDeclines
  /\ declines' = declines + 1
  /\ Settle(p, Answer(p, << >>, << >>, <<NewsFor(p)>>), chan)
  /\ UNCHANGED <<topo, state, triggered, crashes, output, committed>>

(* Nothing that p has accepted is still to be passed on.                    *)
Idle(p) == \A c \in OutputsOf[topo][p] : Sendable(p, c, state[p]) = {}

(* A source that has emitted all its records is at its end.                 *)
EndSource(p) ==                                                                      \* A9
  /\ Ends = 1
  /\ p \in Sources \ ended
  /\ Idle(p)
  /\ Settle(p, Handled(task[p], << >>, << >>, << >>, TRUE), chan)
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Rec(m))]
  /\ UNCHANGED <<topo, task, copies, uploads, ended, coordinator, acks, completed, aborted,
                 output, open, staged, committed, aborts>>

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ chan[c] # << >>
  /\ IsRecord(Head(chan[c]))
  /\ LET p == Target(c)
         m == Head(chan[c]).msg
         put(bag) == [bag EXCEPT ![p][m[1]][m[2]] = @ + 1]
     IN  /\ OpenToRecords(task[p], c)
         /\ Acceptable(p, c, state[p], m)
         /\ state'  = [state EXCEPT ![p] = AfterAccept(p, c, @, m)]
         /\ chan'   = [chan EXCEPT ![c] = Tail(@)]
         /\ task'   = [task EXCEPT ![p] = AfterRecord(@, c, m)]
         /\ output' = IF PutsOut(p) THEN put(output) ELSE output
         /\ open'   = IF p \in Sinks THEN put(open) ELSE open
  /\ UNCHANGED <<topo, copies, uploads, ended, coordinator, acks, completed, aborted, staged, committed, aborts>>

(* A barrier may overtake records, and nothing else.                        *)
AcceptBarrier(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     /\ Open(task[p], c)
     /\ Idle(p)
     /\ \E i \in DOMAIN chan[c] :
          /\ IsA(chan[c][i], "barrier")
          /\ i > 1 => MayOvertake(task[p], chan[c][i])
          /\ \A j \in 1..(i - 1) : IsRecord(chan[c][j])
          /\ Settle(p, AfterBarrier(InputsOf[topo][p], task[p], c, chan[c][i],
                                    RecordsIn(SubSeq(chan[c], 1, i - 1))),
                    [chan EXCEPT ![c] = Without(@, i)])
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

(* The task hears of a barrier that is queued behind records, of a new      *)
(* checkpoint.                                                              *)
Announce(c) ==                                                                       \* A6, A7
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     /\ Open(task[p], c)
     /\ Idle(p)
     /\ \E i \in DOMAIN chan[c] \ {1} :
          /\ IsA(chan[c][i], "barrier")
          /\ Announces(chan[c][i])
          /\ \A j \in 1..(i - 1) : IsRecord(chan[c][j])
          /\ chan[c][i].id \notin Ids(task[p])
          /\ ~HasEnded(task[p], chan[c][i].id)
          /\ Settle(p, AfterAnnouncement(InputsOf[topo][p], task[p], c, chan[c][i]), chan)
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

AcceptCancel(c) ==                                                                   \* A7
  /\ c \in ChannelsOf[topo]
  /\ chan[c] # << >>
  /\ IsA(Head(chan[c]), "cancel")
  /\ LET p == Target(c) IN
     /\ Open(task[p], c)
     /\ Idle(p)
     /\ Settle(p, AfterCancel(task[p], Head(chan[c]).id), [chan EXCEPT ![c] = Tail(@)])
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

AcceptEnd(c) ==                                                                      \* A9
  /\ c \in ChannelsOf[topo]
  /\ chan[c] # << >>
  /\ IsA(Head(chan[c]), "end")
  /\ LET p == Target(c) IN
     /\ Open(task[p], c)
     /\ Idle(p)
     /\ Settle(p, AfterEnd(InputsOf[topo][p], task[p], c), [chan EXCEPT ![c] = Tail(@)])
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

TimeOut(p) ==                                                                        \* A6
  /\ p \in ProcessesOf[topo]
  /\ MayTimeOut(task[p])
  /\ Idle(p)
  /\ Settle(p, AfterTimeOut(task[p]), chan)
  /\ UNCHANGED <<topo, state, coordinator, output, committed>>

(* What task p has recorded for checkpoint n is durable, and p acknowledges *)
(* it.  It went on when it had recorded; the sinks wait for this.           *)
Acknowledge(p, n) ==                                                                 \* A3, A8
  /\ p \in ProcessesOf[topo]
  /\ n \in DOMAIN uploads[p]
  /\ uploads' = [uploads EXCEPT ![p] = [m \in DOMAIN @ \ {n} |-> @[m]]]
  /\ UNCHANGED <<topo, state, chan, task, copies, coordinator, output, committed, aborts>>
  /\ Account(Acked(p, n :> uploads[p][n]), aborted, ended, p, 0)

(* A sink hears of complete checkpoints, and commits what it staged.        *)
Commit(p) ==                                                                         \* A3
  /\ p \in ProcessesOf[topo]
  /\ p \in Sinks
  /\ LET ready == {n \in DOMAIN staged[p] : MayCommit(n)}
         upTo  == Committable(p, Highest(ready))
     IN  /\ ready # {}
         /\ committed' = [committed EXCEPT ![p] = Together(@, [n \in upTo |-> staged[p][n]])]
         /\ staged'    = [staged EXCEPT ![p] = [n \in {m \in DOMAIN @ : m > Highest(ready)} |-> @[n]]]
  /\ UNCHANGED <<topo, state, chan, task, copies, uploads, ended, coordinator, acks, completed, aborted,
                 output, open, aborts>>

(* What p restores: its state, and the records in flight to it on c.  A     *)
(* task of which there is nothing durable begins anew; with a checkpoint    *)
(* that counts as complete that must not be (A8).                           *)
Restores(p) == LET n == RestoredFrom(p) IN n # 0 /\ p \in DOMAIN acks[n]

RestoredState(p) ==                                                                  \* A2
  IF Restores(p) THEN acks[RestoredFrom(p)][p].state ELSE Beginning(topo)[p]

RestoredLog(c) ==                                                                    \* A5, A10
  IF Restores(Target(c)) THEN acks[RestoredFrom(Target(c))][Target(c)].log[c] ELSE << >>

(* What sink p commits of what it staged before the crash.                  *)
RestoredStaged(p) == Committable(p, Highest(completed))                              \* A3

(* The coordinator knows after a crash what it triggered and what is        *)
(* complete, and gives up the rest.                                         *)
Recall ==                                                                            \* A8
  /\ UNCHANGED <<triggered, completed>>
  /\ aborted' = aborted \cup (1..triggered \ completed)
  /\ acks'    = [n \in Id |-> IF n = Highest(completed) THEN acks[n] ELSE << >>]

(* All tasks fail, and begin again.  What was staged for a complete         *)
(* checkpoint is committed, and the rest is not.                            *)
Crash ==                                                                             \* A2
  /\ crashes < MaxCrashes
  /\ crashes'   = crashes + 1
  /\ Recall
  /\ state'  = [p \in DOMAIN state |-> RestoredState(p)]
  /\ chan'   = [c \in DOMAIN chan |-> LET q == RestoredLog(c) IN [i \in DOMAIN q |-> Rec(q[i])]]
  /\ committed' = [p \in DOMAIN committed |-> Together(committed[p], [n \in RestoredStaged(p) |-> staged[p][n]])]
  /\ task'   = [p \in DOMAIN task |-> NewTask]
  /\ copies' = [p \in DOMAIN copies |-> << >>]
  /\ uploads' = [p \in DOMAIN uploads |-> << >>]
  /\ ended'  = {}
  /\ open'   = [p \in DOMAIN open |-> Nothing(topo)]
  /\ staged' = [p \in DOMAIN staged |-> << >>]
  /\ UNCHANGED <<topo, declines, output, aborts>>

Next ==
  \/ \E c \in Channel : Send(c)
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : AcceptBarrier(c)
  \/ \E c \in Channel : Announce(c)
  \/ \E c \in Channel : AcceptCancel(c)
  \/ \E c \in Channel : AcceptEnd(c)
  \/ \E p \in Process : Inject(p)
  \/ \E p \in Process : Decline(p)
  \/ \E p \in Process : EndSource(p)
  \/ \E p \in Process : TimeOut(p)
  \/ \E p \in Process : \E n \in Id : Acknowledge(p, n)
  \/ \E p \in Process : Commit(p)
  \/ Trigger
  \/ Crash

Spec == Init /\ [][Next]_vars

Receive(c) == Accept(c) \/ AcceptBarrier(c) \/ AcceptCancel(c) \/ AcceptEnd(c)

(* Elements of channels are eventually accepted, records are passed on,     *)
(* sources hear of checkpoints, and come to their end; what is recorded is  *)
(* durable some time.                                                       *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Send(c)) /\ WF_vars(Receive(c))
  /\ \A p \in Process : WF_vars(Inject(p)) /\ WF_vars(EndSource(p))
  /\ \A p \in Process : \A n \in Id : WF_vars(Acknowledge(p, n))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ triggered \in 0..MaxCheckpoints
  /\ declines \in 0..MaxDeclines
  /\ crashes \in 0..MaxCrashes
  /\ completed \cap aborted = {}
  /\ completed \cup aborted \subseteq 1..triggered
  /\ {n \in Id : acks[n] # << >>} \subseteq 1..triggered \ aborted
  /\ ended \subseteq (IF Ends = 1 THEN ProcessesOf[topo] ELSE {})
  /\ \A p \in ProcessesOf[topo] : /\ task[p].finished \subseteq InputsOf[topo][p]
                                  /\ Exclusive => Len(task[p].pending) <= 1
                                  /\ DOMAIN copies[p] \subseteq Ids(task[p])
                                  /\ DOMAIN uploads[p] \subseteq (IF Uploads = 1 THEN 1..triggered ELSE {})

(* What a checkpoint restores: states, and records in flight.               *)
StatesOf(n)   == [p \in ProcessesOf[topo] |-> acks[n][p].state]
InFlightOf(n) == [c \in ChannelsOf[topo] |-> acks[n][Target(c)].log[c]]

IsWhole(n) == DOMAIN acks[n] = ProcessesOf[topo]

(* The newest complete checkpoint is the fold of exactly the records up to  *)
(* its offsets.                                                             *)
CheckpointExact ==                                                                   \* A1, A5, A7
  \A n \in completed : IsWhole(n) => Conserved(StatesOf(n), InFlightOf(n))

(* At least of those, where alignment is skipped.                           *)
CheckpointLosesNothing ==                                                            \* A4
  \A n \in completed : IsWhole(n) => NothingLost(StatesOf(n), InFlightOf(n))

(* After any crash, each record has come once to each task on its way, or   *)
(* will: what is folded is what a run without failures folds.               *)
ExactlyOnce == Conserved(state, [c \in DOMAIN chan |-> RecordsIn(chan[c])])          \* A2, A4, A5, A8, A10

AtLeastOnce == NothingLost(state, [c \in DOMAIN chan |-> RecordsIn(chan[c])])        \* A4

Pipeline == \A p \in ProcessesOf[topo] : Cardinality(InputsOf[topo][p]) <= 1

ExactOnPipelines == Pipeline => ExactlyOnce                                          \* A4

(* A plain sink's output: refuted as soon as there is a crash.              *)
OutputOnce ==                                                                        \* A3
  \A p \in Sinks : \A q \in DOMAIN output[p] : \A n \in DOMAIN output[p][q] : output[p][q][n] <= 1

(* A crash brings it once more.                                             *)
OutputOncePerRun ==                                                                  \* A3
  \A p \in Sinks : \A q \in DOMAIN output[p] : \A n \in DOMAIN output[p][q] : output[p][q][n] <= crashes + 1

(* With two-phase commit it holds, and only what is sure is committed.      *)
CommittedOnce ==                                                                     \* A3
  \A p \in Sinks : \A q \in DOMAIN committed[p] : \A n \in DOMAIN committed[p][q] : committed[p][q][n] <= 1

CommittedIsSafe ==                                                                   \* A3
  LET r == Highest(completed)
      Sure(p, q, n) == IF r = 0 THEN 0 ELSE Folded(acks[r][p].state)[q][n]
  IN  r = 0 \/ IsWhole(r) =>
        \A p \in Sinks : \A q \in DOMAIN committed[p] : \A n \in DOMAIN committed[p][q] :
          committed[p][q][n] <= Sure(p, q, n)

(* What the newest complete checkpoint has folded, and would not bring      *)
(* again, is committed, or staged for it or for one that it subsumes.       *)
CommittedLosesNothing ==                                                             \* A3
  LET r == Highest(completed)
      Sure(p) == Together(committed[p], [n \in {m \in DOMAIN staged[p] : m <= r} |-> staged[p][n]])
  IN  r # 0 /\ IsWhole(r) =>
        \A p \in Sinks : \A q \in DOMAIN committed[p] : \A n \in DOMAIN committed[p][q] :
          Sure(p)[q][n] >= Folded(acks[r][p].state)[q][n]

(* Whatever a sink has folded it has put out, and it is committed, or will  *)
(* be with a checkpoint, once.                                              *)
SinksKeepAll ==                                                                      \* A3
  \A p \in Sinks : \A q \in DOMAIN output[p] : \A n \in DOMAIN output[p][q] :
    LET folded == Folded(state[p])[q][n]
    IN  /\ output[p][q][n] >= folded
        /\ committed[p][q][n] + Total([m \in DOMAIN staged[p] |-> staged[p][m][q][n]]) + open[p][q][n] = folded

(* Where checkpoints are completed in their order, all before a complete    *)
(* one are over: complete, or aborted by a task or a crash.                 *)
CompleteInOrder == \A n \in completed : 1..n \subseteq completed \cup aborted         \* A8

(* A task aborts a checkpoint once, and is then not blocked by it.          *)
AbortedOnce == \A p \in ProcessesOf[topo] : \A n \in Id : aborts[p][n] <= 1          \* A7

AbortUnblocks ==                                                                     \* A7
  \A p \in ProcessesOf[topo] : \A n \in Id : aborts[p][n] > 0 => n \notin Ids(task[p])

(* Nobody gives a checkpoint up without a cause: a task aborted it, a newer *)
(* one subsumes it, or all tasks crashed.                                   *)
AbortHasCause ==                                                                     \* A7
  \A n \in aborted : \/ \E p \in ProcessesOf[topo] : aborts[p][n] > 0
                     \/ Overlap # 2 /\ \E m \in completed : n < m
                     \/ crashes > 0

(* A savepoint has nothing in flight, but what comes back in a loop.        *)
SavepointIsAligned ==                                                                \* A11
  Savepoint \in Id =>
    LET ack == acks[Savepoint]
    IN  \A c \in ChannelsOf[topo] : ~IsBack(c) /\ Target(c) \in DOMAIN ack => ack[Target(c)].log[c] = << >>

(* What a task that has switched sends says so, until it is taken ...       *)
SwitchIsTold ==                                                                      \* A6
  Mode = "timeout" =>
    \A c \in ChannelsOf[topo] : \A k \in DOMAIN chan[c] : \A i \in DOMAIN task[Source(c)].pending :
      LET pe == task[Source(c)].pending[i]
      IN  IsA(chan[c][k], "barrier") /\ chan[c][k].id = pe.id => "alignment" \in DOMAIN chan[c][k]

(* ... and then the receiver does not align for it any more: so does the    *)
(* whole pipeline behind it.                                                *)
SwitchedIn(q) == LET Is(e) == "alignment" \in DOMAIN e /\ e.alignment = "unaligned" IN SelectSeq(q, Is)

Followed(c) ==
  LET told == SwitchedIn(chan[c])
      pending == task'[Target(c)].pending
  IN  crashes' = crashes /\ Len(SwitchedIn(chan'[c])) < Len(told) =>
        \A i \in DOMAIN pending : pending[i].id = told[1].id => pending[i].taken /\ c \notin pending[i].held

SwitchIsFollowed == [][\A c \in ChannelsOf[topo] : Followed(c)]_vars                  \* A6

(* Everyone may have acknowledged n, but not yet one before it.             *)
WaitsInTurn(n) == Overlap = 2 /\ ~(1..(n - 1) \subseteq completed \cup aborted)

CompleteIffAcknowledged ==                                                           \* A8
  /\ \A n \in completed : n = Highest(completed) => IsWhole(n)
  /\ \A n \in 1..triggered : DOMAIN acks[n] = ProcessesOf[topo] => n \in completed \/ WaitsInTurn(n)

(* What a task has acknowledged is durable.                                 *)
AcknowledgedIsDurable ==                                                             \* A8
  \A p \in ProcessesOf[topo] : \A n \in DOMAIN uploads[p] : p \notin DOMAIN acks[n]

(* Each barrier on a channel is of a later checkpoint than the one before.  *)
BarriersAscend ==                                                                    \* A8
  \A c \in ChannelsOf[topo] :
    LET Is(e) == IsA(e, "barrier")
        sent == SelectSeq(chan[c], Is)
    IN  \A i \in 2..Len(sent) : sent[i - 1].id < sent[i].id

(* The coordinator's numbers ascend, and what is complete stays so.         *)
MonotoneIds == [][triggered' >= triggered /\ completed \subseteq completed']_vars     \* A8

(* When the sources have heard of it, nothing is on its way any more, and   *)
(* what was recorded is durable, no checkpoint is waited for, neither by    *)
(* the coordinator nor by a task.                                           *)
Quiet == /\ \A c \in DOMAIN chan : chan[c] = << >>
         /\ ~\E p \in ProcessesOf[topo] : Hears(p) \/ uploads[p] # << >>

NoneWaits ==                                                                         \* A7, A8, A9, A10
  Quiet => /\ \A n \in 1..triggered : n \in completed \cup aborted
           /\ \A p \in ProcessesOf[topo] : task[p].pending = << >>

(* A source that declines the newest checkpoint may never have heard of an  *)
(* older one that others wait for; and where barriers are counted, an end   *)
(* that completes a checkpoint drops the older ones, which nothing subsumes *)
(* if they are completed in their order.  What would end that is the time   *)
(* that the coordinator gives a checkpoint, which is not in this module.    *)
NothingIsLeft ==
  /\ Overlap = 0 \/ MaxDeclines = 0
  /\ Overlap = 2 => Mode # "at-least-once"

(* What comes back to a task of a loop that is at its end is lost.          *)
LoopsDoNotEnd == Mode = "cyclic" => Ends = 0

(* What a check must reach to mean something: two checkpoints pending at a  *)
(* task; a complete one while something recorded for an older one is not    *)
(* durable yet; one that everyone has acknowledged and that waits for an    *)
(* older one; a crash after a complete checkpoint, a second crash; one that *)
(* is recorded while records that a crash brought back are in flight; one   *)
(* that is complete after another one was aborted.                          *)
TwoPending         == \E p \in ProcessesOf[topo] : Len(task[p].pending) > 1
DurableLate        == \E n \in completed : \E p \in ProcessesOf[topo] : \E m \in DOMAIN uploads[p] : m < n
AcknowledgedWaits  == \E n \in 1..triggered : DOMAIN acks[n] = ProcessesOf[topo] /\ n \notin completed
RestoredCheckpoint == crashes > 0 /\ completed # {} /\ \A p \in ProcessesOf[topo] : task[p].last = 0
RecordedInRecovery ==
  /\ crashes > 0
  /\ completed # {}
  /\ \E p \in ProcessesOf[topo] : \E n \in DOMAIN uploads[p] : \E c \in InputsOf[topo][p] :
       uploads[p][n].log[c] # << >>
TwoCrashes         == crashes > 1 /\ completed # {}
CompleteAfterAbort == \E n \in aborted, m \in completed : n < m /\ \E p \in ProcessesOf[topo] : aborts[p][n] > 0

(* Every checkpoint ends, whichever tasks have finished.                    *)
EveryCheckpointEnds ==                                                               \* A9
  <>[](\A n \in Id : triggered >= n => n \in completed \cup aborted)

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Mode # "at-least-once" /\ LoopsDoNotEnd /\ Spec => []CheckpointExact
THEOREM Mode # "at-least-once" /\ LoopsDoNotEnd /\ Spec => []ExactlyOnce
THEOREM LoopsDoNotEnd /\ Spec => []CheckpointLosesNothing
THEOREM LoopsDoNotEnd /\ Spec => []AtLeastOnce
THEOREM Spec => []ExactOnPipelines
THEOREM Mode # "at-least-once" /\ LoopsDoNotEnd /\ Spec => []OutputOncePerRun
THEOREM Mode # "at-least-once" /\ Spec => []CommittedOnce
THEOREM Spec => []CommittedIsSafe
THEOREM Spec => []CommittedLosesNothing
THEOREM Spec => []SinksKeepAll
THEOREM Overlap = 2 /\ Spec => []CompleteInOrder
THEOREM Spec => []AbortedOnce
THEOREM Spec => []AbortUnblocks
THEOREM Spec => []AbortHasCause
THEOREM Spec => []SavepointIsAligned
THEOREM Spec => []SwitchIsTold
THEOREM Spec => SwitchIsFollowed
THEOREM Spec => []CompleteIffAcknowledged
THEOREM LoopsDoNotEnd /\ Spec => []AcknowledgedIsDurable
THEOREM Spec => []BarriersAscend
THEOREM (Mode = "cyclic" \/ NoCycles) /\ NothingIsLeft /\ Spec => []NoneWaits
THEOREM Spec => MonotoneIds
THEOREM (Mode = "cyclic" \/ NoCycles) /\ NothingIsLeft /\ FairSpec => EveryCheckpointEnds
==============================================================================
