------------------------------ MODULE WhiteRed -------------------------------
(***************************************************************************)
(* EWD864a's colouring.  Every machine turns from white to red once; every *)
(* action and every message has the colour of the machine that made it.    *)
(* The snapshot SSS is each machine's state as it turned red and, for each *)
(* buffer, the white messages accepted by red actions.                     *)
(*                                                                         *)
(* It differs from `Computation' in the colours and in TurnRed.  When to   *)
(* turn red is left to magic: any non-empty set of machines at any moment, *)
(* provided that                                                           *)
(*                                                                         *)
(*   NoRedInWhite   no red message is accepted in a white action.          *)
(*                                                                         *)
(* `ChandyLamport' and `StopTheWorld' are two ways to keep this rule, and  *)
(* refine this module.                                                     *)
(*                                                                         *)
(*   E. W. Dijkstra, EWD864a, 1983.  E1..E21 number its claims; the table  *)
(*   in specs/README.md says where each is checked.                        *)
(***************************************************************************)
EXTENDS Application

VARIABLES
  topo,      \* the name of the graph; it never changes
  state,     \* [process -> its local state]
  chan,      \* [channel -> its coloured messages, first to be accepted first]
  recState,  \* recorded states: a function on the red processes (E6)
  recChan    \* [channel -> the white messages accepted from it by red actions] (E6)

vars == <<topo, state, chan, recState, recChan>>

Message(m, colour) == [msg |-> m, colour |-> colour]
Tinted(q, colour)  == SelectSeq(q, LAMBDA e : e.colour = colour)
Plain(q)           == [i \in DOMAIN q |-> q[i].msg]

Red       == DOMAIN recState
Colour(p) == IF p \in Red THEN "red" ELSE "white"

Init ==
  /\ topo     \in DOMAIN Graphs
  /\ state    \in InitialStates(Graphs[topo])
  /\ chan     = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState = << >>
  /\ recChan  = [c \in ChannelsOf[topo] |-> << >>]

------------------------------------------------------------------------------

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Message(m, Colour(p)))]            \* E2
  /\ UNCHANGED <<topo, recState, recChan>>

(* May p take this coloured message?  Only a red machine takes a red one.   *)
MayTake(p, e) == e.colour = "red" => p \in Red                                       \* E4

(* What SSS keeps of message e that p takes.                                *)
Kept(p, e) == IF e.colour = "white" /\ p \in Red THEN <<e.msg>> ELSE << >>           \* E6

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ Acceptable(p, c, state[p], e.msg)
       /\ MayTake(p, e)
       /\ state'   = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
       /\ chan'    = [chan EXCEPT ![c] = Without(@, i)]
       /\ recChan' = [recChan EXCEPT ![c] = @ \o Kept(p, e)]
  /\ UNCHANGED <<topo, recState>>

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : state' = [state EXCEPT ![p] = s]
  /\ UNCHANGED <<topo, chan, recState, recChan>>

Exchange(p) ==                                                                       \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in SUBSET {c \in InputsOf[topo][p] :
                        /\ chan[c] # << >>
                        /\ MayTake(p, Head(chan[c]))
                        /\ Acceptable(p, c, state[p], Head(chan[c]).msg)},
        B \in SUBSET OutputsOf[topo][p] :
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> Head(chan[c]).msg]), B) :
            /\ state'   = [state EXCEPT ![p] = r[1]]
            /\ chan'    = [c \in DOMAIN chan |->
                             (IF c \in A THEN Tail(chan[c]) ELSE chan[c])
                             \o (IF c \in B THEN <<Message(r[2][c], Colour(p))>> ELSE << >>)]
            /\ recChan' = [c \in DOMAIN recChan |->
                             recChan[c] \o (IF c \in A THEN Kept(p, Head(chan[c])) ELSE << >>)]
  /\ UNCHANGED <<topo, recState>>

(* The processes of S turn red, and record their states, in one instant.    *)
TurnRed(S) ==                                                                        \* E1
  /\ S # {}
  /\ S \subseteq ProcessesOf[topo] \ Red
  /\ recState' = [p \in Red \cup S |-> IF p \in S THEN state[p] ELSE recState[p]]
  /\ UNCHANGED <<topo, state, chan, recChan>>

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E S \in SUBSET Process : TurnRed(S)

Spec == Init /\ [][Next]_vars

(* Every message is eventually accepted (E18), and magic does happen.       *)
Fairness ==
  /\ \A c \in Channel : WF_vars(Accept(c))
  /\ \A p \in Process : WF_vars(TurnRed({p}))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] : chan[c][i].colour \in {"white", "red"}
  /\ Red \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]

(* The snapshot is complete: every machine and every message is red (E3).   *)
Complete ==
  /\ Red = ProcessesOf[topo]
  /\ \A c \in ChannelsOf[topo] : Tinted(chan[c], "white") = << >>

(* Nothing that happens from here on has to do with the snapshot.           *)
Over == Complete

(* A red machine stays red, and what it recorded stays as it was.           *)
TurnsRedOnce ==                                                                      \* E1
  [][\A p \in Red : p \in DOMAIN recState' /\ recState'[p] = recState[p]]_vars

(* A white machine has sent only white messages; in each buffer the white   *)
(* ones come first.                                                         *)
ColourDiscipline ==                                                                  \* E2
  \A c \in ChannelsOf[topo] :
    /\ Source(c) \notin Red => Tinted(chan[c], "red") = << >>
    /\ \A i, j \in DOMAIN chan[c] : i < j /\ chan[c][i].colour = "red" => chan[c][j].colour = "red"

(* The snapshot obeys the law of the application's global states.           *)
SnapshotConserves == Complete => Conserved(recState, recChan)                        \* E7

(* SSS reachable from S0: of the recorded state taken together with what is *)
(* still white, every white action is a step and every other a stutter.     *)
C == INSTANCE Computation WITH                                                       \* E7
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |-> recChan[c] \o Plain(Tinted(chan[c], "white"))]

SSSReachable == C!Spec

(* The colours only watch: the machines and buffers are a computation.      *)
Underlying == INSTANCE Computation WITH chan <- [c \in DOMAIN chan |-> Plain(chan[c])]

RefinesComputation == Underlying!Spec

EventuallyComplete == <>Complete                                                     \* E3

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []ColourDiscipline
THEOREM Spec => []SnapshotConserves
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesComputation
THEOREM FairSpec => EventuallyComplete
==============================================================================
