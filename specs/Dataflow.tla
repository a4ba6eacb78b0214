------------------------------- MODULE Dataflow -------------------------------
(***************************************************************************)
(* The application of a stream processor: a process without inputs is a    *)
(* source and emits its records one by one; every other one folds the      *)
(* records it accepts into its state and passes each on; one without       *)
(* outputs is a sink.                                                      *)
(*                                                                         *)
(* Streams are keyed: a record goes to one of several outputs, by its      *)
(* number.  An output to a process of no greater number is a back edge;    *)
(* a record takes such an edge once, the first time that it can.           *)
(*                                                                         *)
(* A local state is a tuple of                                             *)
(*   offset   how many records the source has emitted (else Records)       *)
(*   folded   [process -> [number -> how often that source's record came]] *)
(*   outbox   the record to be passed on, if any, in a sequence            *)
(*   forward  the outputs that are no back edges, in order                 *)
(*   back     those that are                                               *)
(* A message is a record: <<source, number, laps>>.                        *)
(*                                                                         *)
(*   P. Carbone et al., "Lightweight Asynchronous Snapshots for            *)
(*   Distributed Dataflows", arXiv 1506.08603, 2015, section 3.            *)
(***************************************************************************)
EXTENDS Digraph, Sums, Sequences

CONSTANTS
  Records  \* how many records each source emits

Offset(s)  == s[1]
Folded(s)  == s[2]
Outbox(s)  == s[3]
Forward(s) == s[4]
Back(s)    == s[5]

(* A set of channels with one source as a sequence.                         *)
RECURSIVE InOrder(_)
InOrder(C) ==
  IF C = {} THEN << >>
  ELSE LET c == CHOOSE c \in C : \A d \in C : Target(c) <= Target(d) IN <<c>> \o InOrder(C \ {c})

BackEdges(g) == {c \in g.channels : Target(c) <= Source(c)}

DataflowInitialStates(g) ==
  LET source(p) == Inputs(g, p) = {} IN
  {[p \in Proc(g) |->
      <<IF source(p) THEN 0 ELSE Records,
        [q \in Proc(g) |-> IF source(q) THEN [n \in 1..Records |-> 0] ELSE << >>],
        << >>,
        InOrder(Outputs(g, p) \ BackEdges(g)),
        InOrder(Outputs(g, p) \cap BackEdges(g))>>]}

(* Where a process in state s passes record r on, and as what: a sequence   *)
(* of at most one pair.                                                     *)
OneOf(q, r) == q[1 + ((r[2] - 1) % Len(q))]
Hop(s, r) ==
  IF Back(s) # << >> /\ r[3] = 0 THEN <<  <<OneOf(Back(s), r), <<r[1], r[2], 1>> >>  >>
  ELSE IF Forward(s) # << >> THEN <<  <<OneOf(Forward(s), r), r>>  >>
  ELSE << >>

(* What a process sends next, if anything.                                  *)
Ahead(p, s) ==
  IF Outbox(s) # << >> THEN Hop(s, Outbox(s)[1])
  ELSE IF Offset(s) < Records THEN Hop(s, <<p, Offset(s) + 1, 0>>)
  ELSE << >>

DataflowSendable(p, c, s) ==
  LET next == Ahead(p, s) IN IF next # << >> /\ next[1][1] = c THEN {next[1][2]} ELSE {}

DataflowAfterSend(p, c, s, m) ==
  IF Outbox(s) # << >> THEN [s EXCEPT ![3] = << >>] ELSE [s EXCEPT ![1] = @ + 1]

(* A record is passed on before the next one is accepted.                   *)
DataflowAcceptable(p, c, s, m) == Outbox(s) = << >>

DataflowAfterAccept(p, c, s, m) ==
  [s EXCEPT ![2][m[1]][m[2]] = @ + 1, ![3] = IF Hop(s, m) # << >> THEN <<m>> ELSE << >>]

DataflowInternals(p, s) == {}

------------------------------------------------------------------------------

(* The processes that a record visits from p on, in order.                  *)
RECURSIVE Journey(_, _, _)
Journey(states, p, r) ==
  LET hop == Hop(states[p], r)
  IN  <<p>> \o (IF hop = << >> THEN << >> ELSE Journey(states, Target(hop[1][1]), hop[1][2]))

Onward(states, p, r) == Tail(Journey(states, p, r))

Count(p, q) == Len(SelectSeq(q, LAMBDA x : x = p))

(* How often the copies of record <<source, n>> that are on their way will  *)
(* yet visit p.                                                             *)
Coming(states, channels, p, source, n) ==
  LET is(r)     == r[1] = source /\ r[2] = n
      inChannel == [c \in DOMAIN channels |->
                      Total([i \in DOMAIN channels[c] |->
                               IF is(channels[c][i]) THEN Count(p, Journey(states, Target(c), channels[c][i]))
                                                     ELSE 0])]
      inOutbox  == [q \in DOMAIN states |->
                      IF Outbox(states[q]) # << >> /\ is(Outbox(states[q])[1])
                      THEN Count(p, Onward(states, q, Outbox(states[q])[1])) ELSE 0]
  IN  Total(inChannel) + Total(inOutbox)

(* The state of each process, with what is coming to it, is the fold of     *)
(* exactly the records up to the sources' offsets.                          *)
DataflowConserved(states, channels) ==                                               \* A1
  \A p, q \in DOMAIN states : \A n \in DOMAIN Folded(states[p])[q] :
    Folded(states[p])[q][n] + Coming(states, channels, p, q, n)
      = IF n <= Offset(states[q]) THEN Count(p, Onward(states, q, <<q, n, 0>>)) ELSE 0

(* The same with nothing lost: a record may have come more than once.       *)
NothingLost(states, channels) ==                                                     \* A4
  \A p, q \in DOMAIN states : \A n \in DOMAIN Folded(states[p])[q] :
    n <= Offset(states[q]) =>
      Folded(states[p])[q][n] + Coming(states, channels, p, q, n) >= Count(p, Onward(states, q, <<q, n, 0>>))
==============================================================================
