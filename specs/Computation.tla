----------------------------- MODULE Computation -----------------------------
(***************************************************************************)
(* EWD864a's distributed computation: machines connected by directed FIFO  *)
(* buffers, each performing atomic actions.  An action accepts at most one *)
(* message per input, sends at most one per output, and may change its     *)
(* machine's state.                                                        *)
(*                                                                         *)
(* It knows no snapshot: this is what a recorded state must be reachable   *)
(* in.  `WhiteRed' adds the colours.                                       *)
(*                                                                         *)
(*   E. W. Dijkstra, "The distributed snapshot of K.M. Chandy and          *)
(*   L. Lamport", EWD864a, 1983.                                           *)
(*   K. M. Chandy and L. Lamport, "Distributed Snapshots: Determining      *)
(*   Global States of Distributed Systems", TOCS 3(1), 1985, section 2.    *)
(***************************************************************************)
EXTENDS Application

VARIABLES
  topo,   \* the name of the graph; it never changes
  state,  \* [process -> its local state]
  chan    \* [channel -> the messages in it, first to be accepted first]

vars == <<topo, state, chan>>

Init ==
  /\ topo  \in DOMAIN Graphs
  /\ state \in InitialStates(Graphs[topo])
  /\ chan  = [c \in ChannelsOf[topo] |-> << >>]

------------------------------------------------------------------------------

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, m)]
  /\ UNCHANGED topo

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       /\ Acceptable(p, c, state[p], chan[c][i])
       /\ state' = [state EXCEPT ![p] = AfterAccept(p, c, @, chan[c][i])]
       /\ chan'  = [chan EXCEPT ![c] = Without(@, i)]
  /\ UNCHANGED topo

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : state' = [state EXCEPT ![p] = s]
  /\ UNCHANGED <<topo, chan>>

(* An action that touches two channels or more: accept from each of A, then *)
(* send on each of B.  What it sends was not there to be accepted by it.    *)
Exchange(p) ==
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in Acceptables(p, state[p], [c \in InputsOf[topo][p] |-> chan[c]]), B \in SUBSET OutputsOf[topo][p] :
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> Head(chan[c])]), B) :
            /\ state' = [state EXCEPT ![p] = r[1]]
            /\ chan'  = Exchanged(chan, A, r[2])
  /\ UNCHANGED topo

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------

(* The law that the application says its global states obey.  That they do  *)
(* is the application's concern, and what modules that refine this one      *)
(* assume of it: of any application, Spec => []Law.                         *)
Law == Conserved(state, chan)
==============================================================================
