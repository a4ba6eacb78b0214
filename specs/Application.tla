----------------------------- MODULE Application -----------------------------
(***************************************************************************)
(* What every computation has in common and no variable describes: the     *)
(* graphs it runs on, what a process may do in a state, and what a channel *)
(* is.  The application is a parameter: `Items' (identified items that     *)
(* move) and `Automata' (a table of transitions) are two.                  *)
(*                                                                         *)
(* Every specification of a computation extends this module, so that they  *)
(* agree on it to the letter.                                              *)
(***************************************************************************)
EXTENDS Digraph, FiniteSets, Sequences, TLC

CONSTANTS
  Graphs,                  \* a function from names to graphs; a behaviour has one of them
  Granularity,             \* "event": an action touches one channel at the most (Chandy & Lamport);
                           \* "action": any number of them (EWD864a)
  InitialStates(_),        \* the states [Proc(g) -> local state] that graph g may begin in
  Sendable(_, _, _),       \* Sendable(p, c, s): the messages p may send on output c in local state s
  AfterSend(_, _, _, _),   \* AfterSend(p, c, s, m): p's state after that
  Acceptable(_, _, _, _),  \* Acceptable(p, c, s, m): may p accept m from input c in state s?
  AfterAccept(_, _, _, _), \* AfterAccept(p, c, s, m): p's state after that
  Conserved(_, _),         \* Conserved(states, channels): the law that every global state obeys,
                           \* channels being [channel -> sequence of messages]
  Internals(_, _)          \* Internals(p, s): p's possible states after an internal action in s

ASSUME GraphsAreDigraphs == \A t \in DOMAIN Graphs : IsDigraph(Graphs[t])
ASSUME GranularityIsKnown == Granularity \in {"event", "action"}

(***************************************************************************)
(* Why `topo', the name of the graph, is a variable in every module that   *)
(* extends this one, although no action changes it.                        *)
(*                                                                         *)
(* Init chooses a graph among all of Graphs, so that one run of TLC checks *)
(* a specification on all of them.  Were the graph a constant, each would  *)
(* take a run, and a parsing, of its own, which costs more than its states *)
(* do.  A behaviour has one graph from beginning to end, and states on     *)
(* different graphs differ: so the state space is the disjoint union of    *)
(* theirs, and every property means the same.                              *)
(***************************************************************************)

------------------------------------------------------------------------------

(* All processes and channels of all graphs.  Quantifiers in a next-state   *)
(* relation range over these constants, and each action then says which of  *)
(* them it is about: TLC names a step after its action only if the range is *)
(* a constant.                                                              *)
Process == UNION {Proc(Graphs[t]) : t \in DOMAIN Graphs}
Channel == UNION {Graphs[t].channels : t \in DOMAIN Graphs}

(* What actions need of the graphs.  TLC evaluates these functions once, and *)
(* the constant Graphs, which stands for an expression, every time.         *)
ProcessesOf  == [t \in DOMAIN Graphs |-> Proc(Graphs[t])]
InitiatorsOf == [t \in DOMAIN Graphs |-> Graphs[t].initiators]
ChannelsOf   == [t \in DOMAIN Graphs |-> Graphs[t].channels]
InputsOf     == [t \in DOMAIN Graphs |-> [p \in Proc(Graphs[t]) |-> {c \in Graphs[t].channels : Target(c) = p}]]
OutputsOf    == [t \in DOMAIN Graphs |-> [p \in Proc(Graphs[t]) |-> {c \in Graphs[t].channels : Source(c) = p}]]

------------------------------------------------------------------------------

(* What theorems may assume of the graphs.                                   *)
NoCycles     == \A t \in DOMAIN Graphs : Acyclic(Graphs[t])
AllReachable == \A t \in DOMAIN Graphs : EveryoneReachable(Graphs[t])                \* E14

------------------------------------------------------------------------------

(* A channel is a FIFO buffer of sufficient capacity: only its first        *)
(* element can be accepted, and there is always room for one more.          *)
Positions(q) == IF q = << >> THEN {} ELSE {1}
Room(q)      == TRUE

Without(q, i) == SubSeq(q, 1, i - 1) \o SubSeq(q, i + 1, Len(q))

(* Every message is eventually accepted, whichever its channel (E18).       *)
FairChannels == Channel

------------------------------------------------------------------------------

(* EWD864a's atomic action accepts at most one message from each input of a *)
(* set A and then sends at most one on each output of a set B (E17).        *)
(* Channels are taken in the order of their names.                          *)
Least(A) == CHOOSE c \in A : \A d \in A : \/ Source(c) < Source(d)
                                          \/ Source(c) = Source(d) /\ Target(c) <= Target(d)

(* The state of p after it has accepted msgs[c] from each input c of its    *)
(* domain.                                                                  *)
RECURSIVE AfterAccepts(_, _, _)
AfterAccepts(p, s, msgs) ==
  IF DOMAIN msgs = {} THEN s
  ELSE LET c    == Least(DOMAIN msgs)
           rest == [d \in DOMAIN msgs \ {c} |-> msgs[d]]
       IN  AfterAccepts(p, AfterAccept(p, c, s, msgs[c]), rest)

(* May p accept them in state s?  Each in the state that those before it    *)
(* have led to: an operator that has a record to pass on accepts no other.  *)
RECURSIVE AllAcceptable(_, _, _)
AllAcceptable(p, s, msgs) ==
  IF DOMAIN msgs = {} THEN TRUE
  ELSE LET c    == Least(DOMAIN msgs)
           rest == [d \in DOMAIN msgs \ {c} |-> msgs[d]]
       IN  Acceptable(p, c, s, msgs[c]) /\ AllAcceptable(p, AfterAccept(p, c, s, msgs[c]), rest)

(* The sets of inputs from all of which p may accept the first message in   *)
(* state s, `queue' being [input -> the messages in it].                    *)
Acceptables(p, s, queue) ==
  {A \in SUBSET {c \in DOMAIN queue : queue[c] # << >>} : AllAcceptable(p, s, [c \in A |-> Head(queue[c])])}

(* The pairs <<state, sequence of messages by channel>> that sending on     *)
(* each of B can give.                                                      *)
RECURSIVE AfterSends(_, _, _)
AfterSends(p, s, B) ==
  IF B = {} THEN {<<s, << >> >>}
  ELSE LET c == Least(B)
       IN  UNION { { <<r[1], r[2] @@ (c :> <<m>>)>> : r \in AfterSends(p, AfterSend(p, c, s, m), B \ {c}) }
                   : m \in Sendable(p, c, s) }

(* What p could do next in local state s if there were no snapshot, queue   *)
(* being [input -> the messages in it]: the inputs from which it accepts,   *)
(* its state after that, and [output -> what it sends].                     *)
StepsFrom(p, s, queue, outputs) ==
  LET touched == {AB \in Acceptables(p, s, queue) \X SUBSET outputs :
                    LET n == Cardinality(AB[1]) + Cardinality(AB[2])
                    IN  n = 1 \/ (n > 1 /\ Granularity = "action")}
      move(A, after, sent) == [by |-> p, accepts |-> A, after |-> after, sends |-> sent]
  IN  {move({}, t, << >>) : t \in Internals(p, s)} \cup
      UNION { { move(AB[1], r[1], r[2]) :
                r \in AfterSends(p, AfterAccepts(p, s, [c \in AB[1] |-> Head(queue[c])]), AB[2]) }
              : AB \in touched }

(* The channels after such an action: the first element of each of A was    *)
(* taken, and then sent[c] was put on each output c that it sends on.       *)
Exchanged(ch, A, sent) ==
  [c \in DOMAIN ch |-> (IF c \in A THEN Tail(ch[c]) ELSE ch[c])
                       \o (IF c \in DOMAIN sent THEN sent[c] ELSE << >>)]
==============================================================================
