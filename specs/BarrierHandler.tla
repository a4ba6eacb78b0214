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
(*   held      the inputs whose sender waits since it sent that barrier    *)
(*   ahead     [input -> how many records, first in it, its barrier        *)
(*             overtook: they come although the sender waits]              *)
(*   forced    is it aligned where checkpoints are not, or may switch?     *)
(*                                                                         *)
(* A barrier has an alignment: "aligned"; "timeoutable", that is aligned   *)
(* until it takes too long; or "unaligned".  It says so if that is not its *)
(* mode's: in mode timeout a task that has switched sends unaligned ones,  *)
(* and a savepoint's are aligned where checkpoints are not.                *)
(*                                                                         *)
(*   Apache Flink's documentation on checkpointing, and what its handlers  *)
(*   do, with which `pyharness hold flink' compares; A1..A11 number the    *)
(*   claims, see specs/README.md.                                          *)
(***************************************************************************)
EXTENDS Naturals, Sequences, Digraph

CONSTANTS
  Mode,        \* "aligned", "cyclic", "unaligned", "at-least-once" or "timeout"
  AfterEnds,   \* 1: checkpoints go on after an input's end; 0: an end aborts what is pending
  MostPending  \* how many checkpoints are pending at most, where barriers are counted

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

(* The alignment of barrier b: its own, or that of the mode.                *)
OfMode == CASE Mode = "unaligned" -> "unaligned"
            [] Mode = "timeout"   -> "timeoutable"
            [] OTHER              -> "aligned"

AlignmentOf(b) == IF "alignment" \in DOMAIN b THEN b.alignment ELSE OfMode

Barrier(n, alignment) ==
  IF alignment = OfMode THEN [control |-> "barrier", id |-> n]
                        ELSE [control |-> "barrier", id |-> n, alignment |-> alignment]

(* Is the state recorded when b comes?                                      *)
RecordsAtOnce(b) == AlignmentOf(b) = "unaligned"                                     \* A5, A6

(* Is b announced while it is queued behind records?                        *)
Announces(b) == AlignmentOf(b) = "timeoutable"

(* The alignment of a savepoint's barriers, in any mode.                    *)
OfSavepoint == "aligned"                                                             \* A11

(* The alignment that a task which has switched puts on its barriers.       *)
Switched == "unaligned"                                                              \* A6

(* Does the sender of input c wait after barrier b?                         *)
Holds(b, c) == Mode # "at-least-once" /\ ~IsBack(c) /\ AlignmentOf(b) # "unaligned"

(* Does input c wait for the others?                                        *)
Blocks(pe, c) ==                                                                     \* A1, A6
  c \in pe.held /\ (Mode = "cyclic" => ~pe.taken)

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
(* the complete checkpoints, the ids it aborts, and whether it ends.        *)
(* Barriers go out with `alignment', by default the mode's.                 *)
Handled(t, triggered, done, aborted, ends) ==
  [task |-> t, triggered |-> triggered, done |-> done, aborted |-> aborted, ends |-> ends,
   alignment |-> OfMode]

Open(t, c) == c \notin t.finished /\ \A i \in DOMAIN t.pending : ~Blocks(t.pending[i], c)

(* May a record come from input c?  Also one that its barrier overtook.     *)
OpenToRecords(t, c) ==
  /\ c \notin t.finished
  /\ \A i \in DOMAIN t.pending : Blocks(t.pending[i], c) => t.pending[i].ahead[c] > 0

(* The records are in flight for the checkpoints that log input c.          *)
Logged(pe, c, records) == IF Logs(pe, c) THEN [pe EXCEPT !.log[c] = @ \o records] ELSE pe

(* One record less is ahead of the barrier that overtook it.                *)
Passed(pe, c) == IF pe.ahead[c] > 0 THEN [pe EXCEPT !.ahead[c] = @ - 1] ELSE pe

AfterRecord(t, c, r) ==
  [t EXCEPT !.pending = [i \in DOMAIN @ |-> Passed(Logged(@[i], c, <<r>>), c)]]

(* The checkpoint of barrier b as task t begins it: a finished input counts *)
(* as arrived.                                                              *)
Began(inputs, t, b) ==                                                               \* A9
  [id      |-> b.id,
   arrived |-> t.finished,
   taken   |-> FALSE,
   log     |-> [c \in inputs |-> << >>],
   held    |-> {},
   ahead   |-> [c \in inputs |-> 0],
   forced  |-> AlignmentOf(b) = "aligned" /\ OfMode # "aligned"]

(* What is pending, the oldest left out if that is too much.                *)
Kept(q) == IF Len(q) > MostPending THEN SubSeq(q, Len(q) - MostPending + 1, Len(q)) ELSE q

(* Pending checkpoint pe0 of task t, the state of which was recorded before *)
(* if `was', now has input c.  The state is recorded when the regular       *)
(* inputs have arrived, and the checkpoint is complete when all have.       *)
(*   Aligned, inputs a and b, 1 is pending and a has arrived: with b, 1 is  *)
(*   triggered and done, last becomes 1, and nothing is pending.            *)
(*   Unaligned, 1 was taken when a arrived: with b, 1 is done; it is not    *)
(*   triggered again.                                                       *)
(*   At-least-once, 1 and 2 are pending and a has arrived for both: with b  *)
(*   for 2, 2 is triggered and done, and 1, which is older, is dropped.     *)
Arrived(inputs, regular, t, pe0, c, was) ==
  LET pe1  == [pe0 EXCEPT !.arrived = @ \cup {c}]
      pe   == IF regular \subseteq pe1.arrived THEN [pe1 EXCEPT !.taken = TRUE] ELSE pe1
      now  == IF pe.taken /\ ~was THEN <<pe.id>> ELSE << >>
      sent == IF pe0.taken /\ ~was THEN (IF Mode = "unaligned" THEN OfMode ELSE Switched)
              ELSE IF pe0.forced THEN OfSavepoint ELSE OfMode
      Older(x) == x.id < pe.id
      Newer(x) == x.id > pe.id
  IN  IF pe.taken /\ inputs \subseteq pe.arrived
      THEN [Handled([t EXCEPT !.last = Greatest(@, pe.id), !.pending = SelectSeq(@, Newer)],
                    now, <<pe>>, << >>, FALSE) EXCEPT !.alignment = sent]
      ELSE [Handled([t EXCEPT !.pending = Kept(SelectSeq(@, Older) \o <<pe>> \o SelectSeq(@, Newer))],
                    now, << >>, << >>, FALSE) EXCEPT !.alignment = sent]

(* Number n is aborted; of what is pending, what is newer goes on.          *)
Aborted(t, n) ==                                                                     \* A7
  LET Newer(pe) == pe.id > n
  IN  [t EXCEPT !.last = Greatest(@, n), !.pending = SelectSeq(@, Newer)]

(* What checkpoint n supersedes, if there is one at a time.                 *)
Superseded(t, n) ==                                                                  \* A7
  LET Older(pe) == pe.id < n
  IN  IF Exclusive THEN SelectSeq(t.pending, Older) ELSE << >>

IdsOf(q) == [i \in DOMAIN q |-> q[i].id]

WithoutOld(t, old) == IF old # << >> THEN Aborted(t, old[Len(old)].id) ELSE t

(* A barrier that is not too late: if there is one checkpoint at a time, it *)
(* aborts what is older.  One that is unaligned has the state recorded, or  *)
(* else its sender waits, and what goes out is aligned as the last one was. *)
(*   Aligned, 1 is pending: barrier 2 on a aborts 1, and a is held for 2.   *)
(*   Unaligned: barrier 1 on a from behind <<r>> triggers 1, logs r for a,  *)
(*   and holds up nothing.                                                  *)
(*   Timeout, 1 was taken when it took too long: barrier 1 on b from behind *)
(*   <<r>> logs r for b, and holds b, ahead of which r still comes.         *)
Counted(inputs, regular, t0, c, b, overtaken) ==                                     \* A6, A7
  LET old  == Superseded(t0, b.id)
      t    == WithoutOld(t0, old)
      Is(pe) == pe.id = b.id
      mine == SelectSeq(t.pending, Is)
      pe0  == IF mine # << >> THEN mine[1] ELSE Began(inputs, t, b)
      pe1  == Logged(IF RecordsAtOnce(b) THEN [pe0 EXCEPT !.taken = TRUE] ELSE pe0, c, overtaken)
      pe   == IF Holds(b, c)
              THEN [pe1 EXCEPT !.held = @ \cup {c}, !.ahead[c] = Len(overtaken)]
              ELSE pe1
      h    == Arrived(inputs, regular, t, pe, c, mine # << >> /\ mine[1].taken)
  IN  [h EXCEPT !.aborted = IdsOf(old), !.alignment = IF RecordsAtOnce(b) THEN @ ELSE AlignmentOf(b)]

(* Barrier b comes on input c, from behind the records `overtaken'.         *)
AfterBarrier(inputs, t, c, b, overtaken) ==                                          \* A7
  IF HasEnded(t, b.id) THEN Handled(t, << >>, << >>, << >>, FALSE)
                       ELSE Counted(inputs, RegularOf(inputs), t, c, b, overtaken)

(* The task hears of barrier b, of a new checkpoint, while b is queued on   *)
(* input c: what is older is aborted, and it may take too long from now on. *)
AfterAnnouncement(inputs, t, c, b) ==                                                \* A6, A7
  LET old == Superseded(t, b.id)
  IN  Handled([WithoutOld(t, old) EXCEPT !.pending = Append(@, Began(inputs, t, b))],
              << >>, << >>, IdsOf(old), FALSE)

(* A cancellation of checkpoint n comes.  Where several are pending, those  *)
(* that are older cannot become complete, and are aborted each.             *)
AfterCancel(t, n) ==                                                                 \* A7
  LET Older(pe) == pe.id < n
      old == IF Exclusive THEN << >> ELSE SelectSeq(t.pending, Older)
      ids == IdsOf(old) \o (IF HasEnded(t, n) THEN << >> ELSE <<n>>)
  IN  Handled(IF ids = << >> THEN t ELSE Aborted(t, n), << >>, << >>, ids, FALSE)

(* Input c counts as arrived for each of `waiting', the newest first, until *)
(* one is complete.                                                         *)
(*   Aligned, 1 is pending and a has arrived: the end of b triggers it, and *)
(*   it is done.                                                            *)
(*   At-least-once, 1 and 2 are pending, a has arrived for both: the end of *)
(*   b completes 2, and 1 is dropped with it.                               *)
(*   At-least-once, a has arrived for 1 alone, and 2 was not begun:         *)
(*   the end of b completes 1.                                              *)
RECURSIVE EndFor(_, _, _, _, _)
EndFor(inputs, regular, h, c, waiting) ==
  IF waiting = << >> \/ h.done # << >> THEN h
  ELSE LET pe == waiting[Len(waiting)]
           a  == Arrived(inputs, regular, h.task, [pe EXCEPT !.held = @ \ {c}], c, pe.taken)
       IN  EndFor(inputs, regular,
                  [h EXCEPT !.task = a.task, !.triggered = @ \o a.triggered, !.done = a.done,
                            !.alignment = a.alignment],
                  c, SubSeq(waiting, 1, Len(waiting) - 1))

(* Input c comes to its end, and so counts as arrived for what is pending,  *)
(* the newest first: one that completes ends those that are older.          *)
(* Or it aborts what is pending.                                            *)
AfterEnd(inputs, t0, c) ==                                                           \* A9
  LET regular == RegularOf(inputs)
      t       == [t0 EXCEPT !.finished = @ \cup {c}]
      ends    == regular \subseteq t.finished /\ ~(regular \subseteq t0.finished)
  IN  IF AfterEnds = 1
      THEN EndFor(inputs, regular, Handled(t, << >>, << >>, << >>, ends), c, t0.pending)
      ELSE Handled(WithoutOld(t, t.pending), << >>, << >>, IdsOf(t.pending), ends)

(* It takes too long, since a checkpoint was heard of.  (What has arrived   *)
(* stays blocked.)                                                          *)
MayTimeOut(t) ==                                                                     \* A6
  Mode = "timeout" /\ \E i \in DOMAIN t.pending : ~t.pending[i].taken /\ ~t.pending[i].forced

AfterTimeOut(t) ==                                                                   \* A6
  LET Aligning(pe) == ~pe.taken /\ ~pe.forced
      late == SelectSeq(t.pending, Aligning)
  IN  [Handled([t EXCEPT !.pending =
                  [i \in DOMAIN @ |-> IF Aligning(@[i]) THEN [@[i] EXCEPT !.taken = TRUE] ELSE @[i]]],
               IdsOf(late), << >>, << >>, FALSE) EXCEPT !.alignment = Switched]

(* May barrier b be taken from behind records?                              *)
MayOvertake(t, b) ==
  \/ AlignmentOf(b) = "unaligned"
  \/ Announces(b) /\ \E i \in DOMAIN t.pending : t.pending[i].id = b.id /\ t.pending[i].taken
==============================================================================
