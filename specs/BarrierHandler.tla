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

(* The decisions, which mutants override.                                   *)

(* Is there one checkpoint at a time?                                       *)
Exclusive == Mode # "at-least-once"

(* Is the state recorded at the first barrier?                              *)
RecordsAtOnce == Mode = "unaligned"                                                  \* A5

(* Does a finished input count as arrived?                                  *)
CountsFinished == TRUE                                                               \* A9

(* Is what comes from input c behind the barrier, if it has come?           *)
Past(pe, c) == c \in pe.arrived

(* Does input c wait for the others?                                        *)
Blocks(pe, c) ==                                                                     \* A1, A6
  CASE Mode = "cyclic"                -> ~IsBack(c) /\ ~pe.taken /\ Past(pe, c)
    [] Mode \in {"aligned", "timeout"} -> Past(pe, c)
    [] OTHER                          -> FALSE

(* Have all inputs that the recording waits for arrived?  All in flight?    *)
Ready(inputs, pe) == RegularOf(inputs) \subseteq pe.arrived
Whole(inputs, pe) == inputs \subseteq pe.arrived

(* Is a record from input c in flight?                                      *)
Logs(pe, c) == pe.taken /\ ~Past(pe, c)                                              \* A5, A10

Ids(t) == {t.pending[i].id : i \in DOMAIN t.pending}

(* Has checkpoint n ended here, or given way to a newer one?                *)
HasEnded(t, n) ==
  /\ n \notin Ids(t)
  /\ n <= t.last \/ (Exclusive /\ \E m \in Ids(t) : n < m)

(* Is a barrier too late?  Does it abort what is pending?                   *)
IsOld(t, n)      == HasEnded(t, n)                                                   \* A7
Supersedes(t, n) == Exclusive /\ \E m \in Ids(t) : m < n                             \* A7

(* Does a cancellation abort?                                               *)
Cancels(t, n) == ~HasEnded(t, n)                                                     \* A7

(* Does a pending checkpoint go on when number n is aborted?                *)
Outlasts(pe, n) == pe.id > n                                                         \* A7

------------------------------------------------------------------------------

(* What a task does: what becomes of it, the ids whose state it records,    *)
(* the checkpoints that are whole, the ids it aborts, and whether it ends.  *)
Handled(t, triggered, done, aborted, ends) ==
  [task |-> t, triggered |-> triggered, done |-> done, aborted |-> aborted, ends |-> ends]

Open(t, c) == c \notin t.finished /\ \A i \in DOMAIN t.pending : ~Blocks(t.pending[i], c)

(* The records are in flight for the checkpoints that log input c.          *)
Logged(pe, c, records) == IF Logs(pe, c) THEN [pe EXCEPT !.log[c] = @ \o records] ELSE pe

AfterRecord(t, c, r) ==
  [t EXCEPT !.pending = [i \in DOMAIN @ |-> Logged(@[i], c, <<r>>)]]

Began(inputs, t, n) ==
  [id      |-> n,
   arrived |-> IF CountsFinished THEN t.finished ELSE {},
   taken   |-> RecordsAtOnce,
   log     |-> [c \in inputs |-> << >>]]

(* Pending checkpoint pe0 of task t, the state of which was recorded before *)
(* if `was', now has input c.                                               *)
Arrived(inputs, t, pe0, c, was) ==
  LET pe1  == [pe0 EXCEPT !.arrived = @ \cup {c}]
      pe   == IF Ready(inputs, pe1) THEN [pe1 EXCEPT !.taken = TRUE] ELSE pe1
      now  == IF pe.taken /\ ~was THEN <<pe.id>> ELSE << >>
      Older(x) == x.id < pe.id
      Newer(x) == x.id > pe.id
  IN  IF pe.taken /\ Whole(inputs, pe)
      THEN Handled([t EXCEPT !.last = Greatest(@, pe.id), !.pending = SelectSeq(@, Newer)],
                   now, <<pe>>, << >>, FALSE)
      ELSE Handled([t EXCEPT !.pending = SelectSeq(@, Older) \o <<pe>> \o SelectSeq(@, Newer)],
                   now, << >>, << >>, FALSE)

Aborted(t, n) ==
  LET Stays(pe) == Outlasts(pe, n)
  IN  [t EXCEPT !.last = Greatest(@, n), !.pending = SelectSeq(@, Stays)]

(* The barrier of checkpoint n comes on input c, from behind the records    *)
(* `overtaken'.                                                             *)
AfterBarrier(inputs, t0, c, n, overtaken) ==
  IF IsOld(t0, n) THEN Handled(t0, << >>, << >>, << >>, FALSE)
  ELSE
    LET Older(pe) == pe.id < n
        old  == IF Supersedes(t0, n) THEN SelectSeq(t0.pending, Older) ELSE << >>
        t    == IF old # << >> THEN Aborted(t0, old[Len(old)].id) ELSE t0
        Is(pe) == pe.id = n
        mine == SelectSeq(t.pending, Is)
        pe   == Logged(IF mine # << >> THEN mine[1] ELSE Began(inputs, t, n), c, overtaken)
        h    == Arrived(inputs, t, pe, c, mine # << >> /\ mine[1].taken)
    IN  [h EXCEPT !.aborted = [i \in DOMAIN old |-> old[i].id]]

AfterCancel(t, n) ==
  IF Cancels(t, n) THEN Handled(Aborted(t, n), << >>, << >>, <<n>>, FALSE)
                   ELSE Handled(t, << >>, << >>, << >>, FALSE)

RECURSIVE EndFor(_, _, _, _)
EndFor(inputs, h, c, waiting) ==
  IF waiting = << >> THEN h
  ELSE LET a == Arrived(inputs, h.task, waiting[1], c, waiting[1].taken)
       IN  EndFor(inputs, [h EXCEPT !.task = a.task, !.triggered = @ \o a.triggered, !.done = @ \o a.done],
                  c, Tail(waiting))

AfterEnd(inputs, t0, c) ==
  LET t    == [t0 EXCEPT !.finished = @ \cup {c}]
      ends == RegularOf(inputs) \subseteq t.finished /\ ~(RegularOf(inputs) \subseteq t0.finished)
      h    == Handled(t, << >>, << >>, << >>, ends)
  IN  IF CountsFinished THEN EndFor(inputs, h, c, t0.pending) ELSE h                 \* A9

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
