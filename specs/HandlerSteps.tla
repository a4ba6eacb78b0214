----------------------------- MODULE HandlerSteps -----------------------------
(***************************************************************************)
(* One task alone, with all that its inputs can bring: every step that     *)
(* `BarrierHandler' has, in one state graph.                               *)
(*                                                                         *)
(* It differs from `Checkpoints' in that there is no dataflow around the   *)
(* task: ids come in any order, and again.  So it claims nothing of        *)
(* snapshots.  It is there to be walked: `pyharness hold flink             *)
(* --transitions' lets Flink's own handler take each of its steps.  An     *)
(* action has the name that it has in `Checkpoints'; AcceptBarrierAhead is *)
(* AcceptBarrier from behind a record.                                     *)
(*                                                                         *)
(* Records are all the same one, and no log has more than one of them, so  *)
(* that the graph is finite.  What follows from an event at once, without  *)
(* another event, are steps of their own: an announced barrier that may    *)
(* overtake by now, and the records that were overtaken.                   *)
(***************************************************************************)
EXTENDS BarrierHandler

CONSTANTS
  NumInputs,    \* how many inputs the task has
  MaxId,        \* the checkpoints are 1 to this
  OwnAlignment  \* 1: barriers may say how they are aligned, and be queued behind a record; 0: they do not

VARIABLES
  task,   \* the task, see BarrierHandler
  queue,  \* what was received and waits, first come first: [input, behind], a record and the barrier behind it, if any
  step    \* a ghost: the last event, what the task did at it in this order, and the inputs that are blocked then

vars == <<task, queue, step>>

Channel == {<<i, NumInputs + 1>> : i \in 1..NumInputs}

Init ==
  /\ task  = NewTask
  /\ queue = << >>
  /\ step  = [event |-> "none", input |-> 0, id |-> 0, alignment |-> OfMode, did |-> << >>, blocked |-> {}]

------------------------------------------------------------------------------

Alignments ==
  {OfMode} \cup IF OwnAlignment = 0 THEN {}
                ELSE CASE Mode = "timeout"   -> {"aligned", "timeoutable", "unaligned"}
                       [] Mode = "unaligned" -> {"aligned"}
                       [] OTHER              -> {}

Barriers == {Barrier(n, a) : n \in 1..MaxId, a \in Alignments}

Blocked(t) ==
  {Source(c) : c \in {d \in Channel \ t.finished : \E i \in DOMAIN t.pending : Blocks(t.pending[i], d)}}

Said(h) ==
  [i \in DOMAIN h.aborted |-> [what |-> "aborted", id |-> h.aborted[i]]]
  \o [i \in DOMAIN h.triggered |-> [what |-> "triggered", id |-> h.triggered[i], alignment |-> h.alignment]]
  \o [i \in DOMAIN h.done |-> [what |-> "completed", id |-> h.done[i].id]]
  \o (IF h.ends THEN <<[what |-> "ended"]>> ELSE << >>)

Processed(c) == <<[what |-> "processed", input |-> Source(c)]>>

(* The task becomes t; the step began with this event.                      *)
Does(t, event, c, b, did) ==
  /\ task' = t
  /\ step' = [event |-> event, input |-> Source(c), id |-> b.id, alignment |-> AlignmentOf(b), did |-> did,
              blocked |-> Blocked(t)]

Goes(t, did) ==
  /\ task' = t
  /\ step' = [step EXCEPT !.did = @ \o did, !.blocked = Blocked(t)]

(* What follows at once.                                                    *)
Overtakes(i) == queue[i].behind # << >> /\ MayOvertake(task, queue[i].behind[1])
IsRest(i)    == queue[i].behind = << >>

Settled == \A i \in DOMAIN queue : queue[i].behind # << >> /\ ~MayOvertake(task, queue[i].behind[1])

(* Does nothing wait on input c?  And may a record be logged that comes?    *)
Free(c)  == \A i \in DOMAIN queue : queue[i].input # c
Clean(c) == \A i \in DOMAIN task.pending : task.pending[i].log[c] = << >>

WithoutPlace(q, i) == SubSeq(q, 1, i - 1) \o SubSeq(q, i + 1, Len(q))

------------------------------------------------------------------------------

Nothing == [id |-> 0]

Accept(c) ==
  /\ Settled
  /\ Free(c)
  /\ Clean(c)
  /\ OpenToRecords(task, c)
  /\ Does(AfterRecord(task, c, "r"), "record", c, Nothing, Processed(c))
  /\ UNCHANGED queue

AcceptBarrier(c) ==
  /\ Settled
  /\ Free(c)
  /\ Open(task, c)
  /\ \E b \in Barriers :
       LET h == AfterBarrier(Channel, task, c, b, << >>) IN Does(h.task, "barrier", c, b, Said(h))
  /\ UNCHANGED queue

(* A barrier comes from behind a record, which follows.                     *)
AcceptBarrierAhead(c) ==
  /\ Settled
  /\ Free(c)
  /\ Clean(c)
  /\ Open(task, c)
  /\ \E b \in Barriers :
       /\ MayOvertake(task, b)
       /\ LET h == AfterBarrier(Channel, task, c, b, <<"r">>) IN Does(h.task, "overtakes", c, b, Said(h))
  /\ queue' = Append(queue, [input |-> c, behind |-> << >>])

(* A record comes and a barrier behind it, and both wait: the task hears of *)
(* the barrier.                                                             *)
Announce(c) ==                                                                       \* A6
  /\ OwnAlignment = 1
  /\ Settled
  /\ Free(c)
  /\ Clean(c)
  /\ Open(task, c)
  /\ \E b \in Barriers :
       /\ Announces(b)
       /\ ~MayOvertake(task, b)
       /\ IF b.id \in Ids(task) \/ HasEnded(task, b.id)
          THEN Does(task, "queued", c, b, << >>)
          ELSE LET h == AfterAnnouncement(Channel, task, c, b) IN Does(h.task, "queued", c, b, Said(h))
       /\ queue' = Append(queue, [input |-> c, behind |-> <<b>>])

(* The task goes on with what waits on input c.                             *)
GoOn(c) ==
  /\ Settled
  /\ \E i \in DOMAIN queue :
       /\ queue[i].input = c
       /\ LET b == queue[i].behind[1]
              h == AfterBarrier(Channel, AfterRecord(task, c, "r"), c, b, << >>)
          IN  Does(h.task, "go on", c, b, Processed(c) \o Said(h))
       /\ queue' = WithoutPlace(queue, i)

AcceptCancel(c, n) ==                                                                \* A7
  /\ Settled
  /\ Free(c)
  /\ Open(task, c)
  /\ LET h == AfterCancel(task, n) IN Does(h.task, "cancel", c, Barrier(n, OfMode), Said(h))
  /\ UNCHANGED queue

AcceptEnd(c) ==                                                                      \* A9
  /\ Settled
  /\ Free(c)
  /\ Open(task, c)
  /\ LET h == AfterEnd(Channel, task, c) IN Does(h.task, "end", c, Nothing, Said(h))
  /\ UNCHANGED queue

TimeOut ==                                                                           \* A6
  /\ Settled
  /\ MayTimeOut(task)
  /\ LET h == AfterTimeOut(task) IN Does(h.task, "timeout", <<0, 0>>, Nothing, Said(h))
  /\ UNCHANGED queue

(* What waits on the lowest input overtakes first.                          *)
OvertakesNow ==                                                                      \* A6
  \E i \in DOMAIN queue :
    /\ Overtakes(i)
    /\ \A j \in DOMAIN queue : Overtakes(j) => Source(queue[i].input) <= Source(queue[j].input)
    /\ LET h == AfterBarrier(Channel, task, queue[i].input, queue[i].behind[1], <<"r">>) IN Goes(h.task, Said(h))
    /\ queue' = [queue EXCEPT ![i].behind = << >>]

(* The records that were overtaken come as they did.                        *)
Follows ==
  \E i \in DOMAIN queue :
    /\ \A j \in DOMAIN queue : ~Overtakes(j)
    /\ IsRest(i)
    /\ \A j \in 1..(i - 1) : ~IsRest(j)
    /\ OpenToRecords(task, queue[i].input)
    /\ Goes(AfterRecord(task, queue[i].input, "r"), Processed(queue[i].input))
    /\ queue' = WithoutPlace(queue, i)

Next ==
  \/ OvertakesNow
  \/ Follows
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : AcceptBarrier(c)
  \/ \E c \in Channel : AcceptBarrierAhead(c)
  \/ \E c \in Channel : Announce(c)
  \/ \E c \in Channel : GoOn(c)
  \/ \E c \in Channel, n \in 1..MaxId : AcceptCancel(c, n)
  \/ \E c \in Channel : AcceptEnd(c)
  \/ TimeOut

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------

TypeOK ==
  /\ task.last \in 0..MaxId
  /\ task.finished \subseteq Channel
  /\ Ids(task) \subseteq 1..MaxId
  /\ Exclusive => Len(task.pending) <= 1
  /\ \A i \in DOMAIN queue : queue[i].input \in Channel

(* A waiting task waits for a checkpoint that is pending.                   *)
NoneWaitsForNothing == task.pending = << >> => step.blocked = {}                     \* A7

THEOREM Spec => []TypeOK
THEOREM Spec => []NoneWaitsForNothing
==============================================================================
