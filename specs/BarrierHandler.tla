---------------------------- MODULE BarrierHandler ----------------------------
(***************************************************************************)
(* What one task of a dataflow does with the barriers, cancellations and   *)
(* ends that reach it, for several checkpoints: operators without          *)
(* variables.  Each takes a task and gives what becomes of it.             *)
(*                                                                         *)
(* A task is a record                                                      *)
(*   last      the highest id it has ended: completed, aborted, cancelled  *)
(*   pending   the checkpoints it has begun, by ascending id; at most one, *)
(*             but in at-least-once                                        *)
(*   finished  the inputs that are at their end                            *)
(* and a pending checkpoint is a record                                    *)
(*   id        its number                                                  *)
(*   arrived   the inputs that brought its barrier, or are finished        *)
(*   taken     was the task's state recorded already?                      *)
(*   log       [input -> the records logged as in flight]                  *)
(*                                                                         *)
(*   Apache Flink's documentation on checkpointing; A1..A11 number the     *)
(*   claims, see specs/README.md.                                          *)
(***************************************************************************)
EXTENDS Naturals, Sequences, Digraph

CONSTANT
  Mode  \* "aligned", "cyclic", "unaligned", "at-least-once" or "timeout"

ASSUME ModeIsKnown == Mode \in {"aligned", "cyclic", "unaligned", "at-least-once", "timeout"}

Greatest(a, b) == IF a < b THEN b ELSE a

NewTask == [last |-> 0, pending |-> << >>, finished |-> {}]

IsBack(c)         == Mode = "cyclic" /\ Target(c) <= Source(c)
RegularOf(inputs) == {c \in inputs : ~IsBack(c)}

------------------------------------------------------------------------------

(* The ways to handle barriers differ in these decisions, in TimeOut and in *)
(* MayOvertake.                                                             *)

(* Is there one checkpoint at a time?                                       *)
Exclusive == Mode # "at-least-once"

(* Is the state recorded at the first barrier?                              *)
RecordsAtOnce == Mode = "unaligned"                                                  \* A5

(* Does input c wait for the others?                                        *)
Blocks(pe, c) ==                                                                     \* A1, A6
  CASE Mode = "cyclic"                -> ~IsBack(c) /\ ~pe.taken /\ c \in pe.arrived
    [] Mode \in {"aligned", "timeout"} -> c \in pe.arrived
    [] OTHER                          -> FALSE

(* Is a record from input c in flight?                                      *)
Logs(pe, c) == pe.taken /\ c \notin pe.arrived                                       \* A5, A10

------------------------------------------------------------------------------

Ids(t) == {t.pending[i].id : i \in DOMAIN t.pending}

(* Has checkpoint n ended here, or given way to a newer one?  (One that is  *)
(* older than a pending one is not begun, also where barriers are counted.) *)
HasEnded(t, n) ==
  /\ n \notin Ids(t)
  /\ n <= t.last \/ \E m \in Ids(t) : n < m

(* What a task does: what becomes of it, the ids whose state it records,    *)
(* the checkpoints that are whole, the ids it aborts, and whether it ends.  *)
Handled(t, triggered, done, aborted, ends) ==
  [task |-> t, triggered |-> triggered, done |-> done, aborted |-> aborted, ends |-> ends]

Open(t, c) == c \notin t.finished /\ \A i \in DOMAIN t.pending : ~Blocks(t.pending[i], c)

(* The records are in flight for the checkpoints that log input c.          *)
Logged(pe, c, records) == IF Logs(pe, c) THEN [pe EXCEPT !.log[c] = @ \o records] ELSE pe

AfterRecord(t, c, r) ==
  [t EXCEPT !.pending = [i \in DOMAIN @ |-> Logged(@[i], c, <<r>>)]]

(* Checkpoint n as task t begins it: a finished input counts as arrived.    *)
Began(inputs, t, n) ==                                                               \* A9
  [id      |-> n,
   arrived |-> t.finished,
   taken   |-> RecordsAtOnce,
   log     |-> [c \in inputs |-> << >>]]

(* Pending checkpoint pe0 of task t, the state of which was recorded before *)
(* if `was', now has input c.  The state is recorded when the regular       *)
(* inputs have arrived, and the checkpoint is whole when all have.          *)
Arrived(inputs, regular, t, pe0, c, was) ==
  LET pe1  == [pe0 EXCEPT !.arrived = @ \cup {c}]
      pe   == IF regular \subseteq pe1.arrived THEN [pe1 EXCEPT !.taken = TRUE] ELSE pe1
      now  == IF pe.taken /\ ~was THEN <<pe.id>> ELSE << >>
      Older(x) == x.id < pe.id
      Newer(x) == x.id > pe.id
  IN  IF pe.taken /\ inputs \subseteq pe.arrived
      THEN Handled([t EXCEPT !.last = Greatest(@, pe.id), !.pending = SelectSeq(@, Newer)],
                   now, <<pe>>, << >>, FALSE)
      ELSE Handled([t EXCEPT !.pending = SelectSeq(@, Older) \o <<pe>> \o SelectSeq(@, Newer)],
                   now, << >>, << >>, FALSE)

(* Number n is aborted; of what is pending, what is newer goes on.          *)
Aborted(t, n) ==                                                                     \* A7
  LET Newer(pe) == pe.id > n
  IN  [t EXCEPT !.last = Greatest(@, n), !.pending = SelectSeq(@, Newer)]

(* A barrier that is not too late: if there is one checkpoint at a time, it *)
(* aborts what is older.                                                    *)
Counted(inputs, regular, t0, c, n, overtaken) ==                                     \* A7
  LET Older(pe) == pe.id < n
      old  == IF Exclusive THEN SelectSeq(t0.pending, Older) ELSE << >>
      t    == IF old # << >> THEN Aborted(t0, old[Len(old)].id) ELSE t0
      Is(pe) == pe.id = n
      mine == SelectSeq(t.pending, Is)
      pe   == Logged(IF mine # << >> THEN mine[1] ELSE Began(inputs, t, n), c, overtaken)
      h    == Arrived(inputs, regular, t, pe, c, mine # << >> /\ mine[1].taken)
  IN  [h EXCEPT !.aborted = [i \in DOMAIN old |-> old[i].id]]

(* The barrier of checkpoint n comes on input c, from behind the records    *)
(* `overtaken'.                                                             *)
AfterBarrier(inputs, t, c, n, overtaken) ==                                          \* A7
  IF HasEnded(t, n) THEN Handled(t, << >>, << >>, << >>, FALSE)
                    ELSE Counted(inputs, RegularOf(inputs), t, c, n, overtaken)

(* A cancellation of checkpoint n comes.  Where several are pending, those  *)
(* that are older can not be whole any more, and are aborted each.          *)
AfterCancel(t, n) ==                                                                 \* A7
  LET Older(pe) == pe.id < n
      old == IF Exclusive THEN << >> ELSE SelectSeq(t.pending, Older)
      ids == [i \in DOMAIN old |-> old[i].id] \o (IF HasEnded(t, n) THEN << >> ELSE <<n>>)
  IN  Handled(IF ids = << >> THEN t ELSE Aborted(t, n), << >>, << >>, ids, FALSE)

RECURSIVE EndFor(_, _, _, _, _)
EndFor(inputs, regular, h, c, waiting) ==
  IF waiting = << >> \/ h.done # << >> THEN h
  ELSE LET pe == waiting[Len(waiting)]
           a  == Arrived(inputs, regular, h.task, pe, c, pe.taken)
       IN  EndFor(inputs, regular,
                  [h EXCEPT !.task = a.task, !.triggered = @ \o a.triggered, !.done = a.done],
                  c, SubSeq(waiting, 1, Len(waiting) - 1))

(* Input c comes to its end, and so counts as arrived for what is pending,  *)
(* the newest first: one that is whole by that ends those that are older.   *)
AfterEnd(inputs, t0, c) ==                                                           \* A9
  LET regular == RegularOf(inputs)
      t       == [t0 EXCEPT !.finished = @ \cup {c}]
      ends    == regular \subseteq t.finished /\ ~(regular \subseteq t0.finished)
  IN  EndFor(inputs, regular, Handled(t, << >>, << >>, << >>, ends), c, t0.pending)

(* Aligning takes too long.  (What has arrived stays blocked.)              *)
MayTimeOut(t) == Mode = "timeout" /\ \E i \in DOMAIN t.pending : ~t.pending[i].taken

AfterTimeOut(t) ==
  LET Aligning(pe) == ~pe.taken
      late == SelectSeq(t.pending, Aligning)
  IN  Handled([t EXCEPT !.pending = [i \in DOMAIN @ |-> [@[i] EXCEPT !.taken = TRUE]]],
              [i \in DOMAIN late |-> late[i].id], << >>, << >>, FALSE)

(* May the barrier of n be taken from behind records?                       *)
MayOvertake(t, n) ==
  \/ Mode = "unaligned"
  \/ Mode = "timeout" /\ \E i \in DOMAIN t.pending : t.pending[i].id = n /\ t.pending[i].taken
==============================================================================
