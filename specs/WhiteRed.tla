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
(*   E. W. Dijkstra, EWD864a, 1983.  E1..E23 number its claims; the table  *)
(*   in specs/README.md says where each is checked.                        *)
(***************************************************************************)
EXTENDS Colours

(* The variables are those of `Colours'.  The snapshot SSS is in two:       *)
(*   recState  the states of the red machines as they turned red (E6)       *)
(*   recChan   the white messages accepted in red actions, by channel (E6)  *)

vars == <<topo, state, chan, recState, recChan>>

(* A channel's state is recorded at a red process only.                     *)
TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] : chan[c][i].colour \in {"white", "red"}
  /\ Red \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : recChan[c] # << >> => Target(c) \in Red

Init ==
  /\ topo     \in DOMAIN Graphs
  /\ state    \in InitialStates(Graphs[topo])
  /\ chan     = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState = << >>
  /\ recChan  = [c \in ChannelsOf[topo] |-> << >>]

------------------------------------------------------------------------------

(* May an action take this message?  Only a red action takes a red one.     *)
MayTake(action, e) == e.colour = "red" => action = "red"                             \* E4

(* What SSS keeps of message e that an action takes.                        *)
Kept(action, e) == IF e.colour = "white" /\ action = "red" THEN <<e.msg>> ELSE << >> \* E6

(* What is recorded as a machine turns red in an action: what its white     *)
(* actions, and they alone, have made of its state.                         *)
StateRecorded(action, before, after) == IF action = "white" THEN after ELSE before  \* E6, E17

(* The processes of S turn red, each once, and record the states s.         *)
Turn(S, s) ==                                                                        \* E1
  /\ S \cap Red = {}
  /\ recState' = [p \in Red \cup S |-> IF p \in S THEN s[p] ELSE recState[p]]

(* What can be accepted from a buffer: pairs of a message and what remains. *)
(* Nothing that its source could yet send is among them.                    *)
Offers(c) == {<<chan[c][i], Without(chan[c], i)>> : i \in Positions(chan[c])}        \* E5

------------------------------------------------------------------------------

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ UNCHANGED <<topo, recState, recChan>>
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Sent(c, m, Colour(p)))]

(* The target of c accepts a message from it; `offer' is one of Offers(c).  *)
Take(c, offer) ==
  LET p == Target(c)
      e == offer[1]
  IN  /\ Acceptable(p, c, state[p], e.msg)
      /\ MayTake(Colour(p), e)
      /\ state'   = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
      /\ chan'    = [chan EXCEPT ![c] = offer[2]]
      /\ recChan' = [recChan EXCEPT ![c] = @ \o Kept(Colour(p), e)]
      /\ UNCHANGED <<topo, recState>>

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ \E offer \in Offers(c) : Take(c, offer)

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : state' = [state EXCEPT ![p] = s]
  /\ UNCHANGED <<topo, chan, recState, recChan>>

(* Process p accepts from each of A and sends on each of B in one action of *)
(* this colour; Records(s) says what is recorded, s being its state then.   *)
AcceptAndSend(p, A, B, action, Records(_)) ==
  /\ \A c \in B : Room(chan[c])
  /\ \A c \in A : MayTake(action, Head(chan[c]))
  /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> Head(chan[c]).msg]), B) :
       /\ Records(r[1])
       /\ state'   = [state EXCEPT ![p] = r[1]]
       /\ chan'    = Exchanged(chan, A, Coloured(r[2], action))
       /\ recChan' = [c \in DOMAIN recChan |->
                        recChan[c] \o (IF c \in A THEN Kept(action, Head(chan[c])) ELSE << >>)]
  /\ UNCHANGED topo

(* The sets of inputs from all of which p may accept the first message.     *)
Takable(p) == Acceptables(p, state[p], [c \in InputsOf[topo][p] |-> Plain(chan[c])])

Exchange(p) ==                                                                       \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in Takable(p), B \in SUBSET OutputsOf[topo][p] :
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ AcceptAndSend(p, A, B, Colour(p), LAMBDA s : UNCHANGED recState)

(* A machine turns red in an action that also accepts or sends.  EWD864a    *)
(* leaves the colour of such an action open.  Either will do: a red action  *)
(* records the state before it, a white one the state after it.             *)
TurnInExchange(p) ==                                                                 \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in Takable(p), B \in SUBSET OutputsOf[topo][p] :
       /\ A \cup B # {}
       /\ \E action \in {"white", "red"} :
            AcceptAndSend(p, A, B, action,
                          LAMBDA s : Turn({p}, [state EXCEPT ![p] = StateRecorded(action, @, s)]))

(* The processes of S turn red, and record their states, in one instant.    *)
TurnRed(S) ==                                                                        \* E1
  /\ S # {}
  /\ S \subseteq ProcessesOf[topo]
  /\ Turn(S, state)
  /\ UNCHANGED <<topo, state, chan, recChan>>

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E p \in Process : TurnInExchange(p)
  \/ \E S \in SUBSET Process : TurnRed(S)

Spec == Init /\ [][Next]_vars

(* Every message is eventually accepted (E18), and magic does happen.       *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c))
  /\ \A p \in Process : WF_vars(TurnRed({p}))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

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

(* Once everything is red, everything stays red.                            *)
StaysRed == [][Complete => Complete']_vars                                           \* E3

(* The snapshot obeys the law of the application's global states.           *)
SnapshotConserves == Complete => Conserved(recState, recChan)                        \* E7

(* SSS reachable from S0: of the recorded state taken together with what is *)
(* still white, every white action is a step and every other a stutter.     *)
C == INSTANCE Computation WITH
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |-> recChan[c] \o Plain(Tinted(chan[c], "white"))]

SSSReachable == C!Spec                                                               \* E7

(* The colours only watch: the machines and buffers are a computation.      *)
Underlying == INSTANCE Computation WITH chan <- [c \in DOMAIN chan |-> Plain(chan[c])]

RefinesComputation == Underlying!Spec

EventuallyAllRed == <>[]Complete                                                     \* E3, E18

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []ColourDiscipline
THEOREM Spec => StaysRed
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesComputation
THEOREM InputEnabled /\ FairSpec => EventuallyAllRed
==============================================================================
