------------------------------- MODULE Barriers -------------------------------
(***************************************************************************)
(* What Flink's asynchronous barrier snapshots have in common, with        *)
(* EWD864a's colours as ghosts.  The sources record their states and send  *)
(* barriers; every other process records at a moment that depends on the   *)
(* barriers it has accepted, and sends them on.                            *)
(*                                                                         *)
(* A module that extends this one says when an input is blocked, when a    *)
(* process records, and what it records of its inputs, as Blocked,         *)
(* RecordsNow and Logs.  There the actions Accept and AcceptBarrier are.   *)
(*                                                                         *)
(* It differs from `ChandyLamport' in that the initiators are the sources, *)
(* and that a barrier is not always a reason to record.                    *)
(*                                                                         *)
(*   P. Carbone et al., "Lightweight Asynchronous Snapshots for            *)
(*   Distributed Dataflows", arXiv 1506.08603, 2015.                       *)
(***************************************************************************)
EXTENDS Colours

(* Of `Colours' are topo, state, chan, recState and recChan, which is what  *)
(* is recorded as in flight.                                                *)
VARIABLES
  arrived,     \* the channels whose barrier was accepted
  \* Ghosts: no process can see them.  (So is a message's colour.)
  whiteInRed,  \* [channel -> the white messages accepted from it in red actions]
  redInWhite   \* [channel -> the red messages accepted from it in white actions]

vars == <<topo, state, chan, recState, recChan, arrived, whiteInRed, redInWhite>>

Barrier      == [control |-> "barrier"]
IsBarrier(e) == "control" \in DOMAIN e

(* A source has no inputs; only there is nothing to have arrived.           *)
TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] :
       chan[c][i] = Barrier \/ chan[c][i].colour \in {"white", "red"}
  /\ Red \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : recChan[c] # << >> => Target(c) \in Red
  /\ arrived \subseteq {c \in ChannelsOf[topo] : Source(c) \in Red}
  /\ DOMAIN whiteInRed = ChannelsOf[topo]
  /\ DOMAIN redInWhite = ChannelsOf[topo]

Init ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState   = << >>
  /\ recChan    = [c \in ChannelsOf[topo] |-> << >>]
  /\ arrived    = {}
  /\ whiteInRed = [c \in ChannelsOf[topo] |-> << >>]
  /\ redInWhite = [c \in ChannelsOf[topo] |-> << >>]

AllArrived(p) == InputsOf[topo][p] \subseteq arrived

(* Only sources begin: what waits for the barriers of all inputs assumes it *)
(* of its graphs.  A process with inputs that began would send a barrier,   *)
(* and then accept white messages and record red ones.                      *)
InitiatorsHaveNoInputs ==
  \A t \in DOMAIN Graphs : \A c \in Graphs[t].channels : Target(c) \notin Graphs[t].initiators

------------------------------------------------------------------------------

(* Process p records its state, and a barrier goes out on each output, the  *)
(* channels being as in `ch' before that.                                   *)
Record(p, ch) ==
  /\ recState' = (p :> state[p]) @@ recState
  /\ chan'     = [c \in DOMAIN ch |-> IF Source(c) = p THEN Append(ch[c], Barrier) ELSE ch[c]]

(* May source p record?  Once.                                              *)
MayRecord(p) == p \notin Red                                                         \* E1

(* Of what is accepted, head[c] from each input c of its domain, that of    *)
(* `logged' is recorded as in flight.                                       *)
Log(logged, head) ==                                                                 \* E6
  recChan' = [c \in DOMAIN recChan |-> IF c \in logged
                                      THEN Append(recChan[c], head[c].msg) ELSE recChan[c]]

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Sent(c, m, Colour(p)))]
  /\ UNCHANGED <<topo, recState, recChan, arrived, whiteInRed, redInWhite>>

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : state' = [state EXCEPT ![p] = s]
  /\ UNCHANGED <<topo, chan, recState, recChan, arrived, whiteInRed, redInWhite>>

(* The coordinator's request reaches a source, which records its state.     *)
Initiate(p) ==
  /\ p \in InitiatorsOf[topo]
  /\ MayRecord(p)
  /\ Record(p, chan)
  /\ UNCHANGED <<topo, state, recChan, arrived, whiteInRed, redInWhite>>

(* Process p accepts head[c] from each input c of its domain; what comes    *)
(* from those of `logged' is recorded as in flight.                         *)
Take(p, logged, head) ==
  /\ Log(logged, head)
  /\ whiteInRed' = IF Colour(p) = "red" THEN Noted(whiteInRed, head, "white") ELSE whiteInRed
  /\ redInWhite' = IF Colour(p) = "white" THEN Noted(redInWhite, head, "red") ELSE redInWhite

(* The target of c accepts a message from it; `logs' tells whether it is    *)
(* recorded as in flight.                                                   *)
AcceptMessage(c, logs) ==
  LET p == Target(c) IN
  \E i \in Positions(chan[c]) :
    LET e == chan[c][i] IN
    /\ IsMessage(e)
    /\ Acceptable(p, c, state[p], e.msg)
    /\ state' = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
    /\ chan'  = [chan EXCEPT ![c] = Without(@, i)]
    /\ Take(p, IF logs THEN {c} ELSE {}, c :> e)
    /\ UNCHANGED <<topo, recState, arrived>>

(* An action that touches two channels or more: process p accepts a message *)
(* from each of some inputs that are not Shut, and sends.  (A barrier is    *)
(* taken by itself.)                                                        *)
AcceptAndSend(p, Shut(_), Logging(_)) ==                                             \* E17
  /\ Granularity = "action"
  /\ \E A \in SUBSET {c \in InputsOf[topo][p] : chan[c] # << >> /\ ~Shut(c)}, B \in SUBSET OutputsOf[topo][p] :
       LET head == [c \in A |-> Head(chan[c])] IN
       /\ \A c \in A : IsMessage(head[c])
       /\ AllAcceptable(p, state[p], [c \in A |-> head[c].msg])
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> head[c].msg]), B) :
            /\ state' = [state EXCEPT ![p] = r[1]]
            /\ chan'  = Exchanged(chan, A, Coloured(r[2], Colour(p)))
       /\ Take(p, {c \in A : Logging(c)}, head)
  /\ UNCHANGED <<topo, recState, arrived>>

(* The target of c takes the barrier at i, and records, once, if `says', by *)
(* its protocol, is true.  What the barrier overtakes is in flight.         *)
TakeBarrier(c, i, says, overtaken) ==                                                \* E13
  LET p  == Target(c)
      ch == [chan EXCEPT ![c] = Without(@, i)]
  IN  /\ IsBarrier(chan[c][i])
      /\ IF says /\ p \notin Red THEN Record(p, ch) ELSE chan' = ch /\ UNCHANGED recState
      /\ arrived' = arrived \cup {c}
      /\ recChan' = [recChan EXCEPT ![c] = @ \o overtaken]
      /\ UNCHANGED <<topo, state, whiteInRed, redInWhite>>

------------------------------------------------------------------------------

(* Every task has acknowledged: recorded, and all barriers have arrived.    *)
Complete == Red = ProcessesOf[topo] /\ arrived = ChannelsOf[topo]

Over == Complete

TurnsRedOnce ==                                                                      \* E1
  [][\A p \in Red : p \in DOMAIN recState' /\ recState'[p] = recState[p]]_vars

NoRedInWhite ==                                                                      \* E4, A4, A6
  \A c \in ChannelsOf[topo] : redInWhite[c] = << >>

(* For a dataflow, the law says that states and records in flight are the   *)
(* fold of exactly the records up to the recorded offsets.                  *)
SnapshotConserves == Complete => Conserved(recState, recChan)                        \* E7, A1, A4, A6, A10

(* What was recorded of a channel is what is white in it, now or when it    *)
(* was accepted in a red action.                                            *)
RecordedIsSSS ==                                                                     \* E6, A4, A5, A6
  Complete => \A c \in ChannelsOf[topo] :
                recChan[c] = whiteInRed[c] \o Plain(Tinted(chan[c], "white"))

(* Of a channel whose source is red, the barrier is in the channel or has   *)
(* arrived; of another, there is none.                                      *)
OneBarrier ==                                                                        \* E11
  \A c \in ChannelsOf[topo] :
    Len(SelectSeq(chan[c], IsBarrier)) + (IF c \in arrived THEN 1 ELSE 0) = (IF Source(c) \in Red THEN 1 ELSE 0)

EmptyChannels == \A c \in ChannelsOf[topo] : recChan[c] = << >>                      \* A11

(* A barrier comes behind the white messages and ahead of the red ones.     *)
BarrierSeparates ==                                                                  \* E12
  \A c \in ChannelsOf[topo] : \A i, j \in DOMAIN chan[c] :
    i < j => /\ IsBarrier(chan[c][i]) => ~HasColour(chan[c][j], "white")
             /\ IsBarrier(chan[c][j]) => ~HasColour(chan[c][i], "red")

(* The steps that accept a message from one of C, behind its barrier, and   *)
(* meet no barrier at another input.                                        *)
BehindBarrier(C) ==
  {move \in ComputationSteps : move.accepts \cap C # {} /\ \A c \in move.accepts : IsMessage(Head(chan[c]))}

(* The computation as it is, without the barriers.                          *)
Underlying == INSTANCE Computation WITH chan <- Visible

C == INSTANCE Computation WITH
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |->
                   recChan[c] \o (IF c \in arrived THEN << >> ELSE Plain(Tinted(chan[c], "white")))]

SSSReachable == C!Spec                                                               \* E7, A5, A6, A10

WR == INSTANCE WhiteRed WITH
        chan    <- [c \in DOMAIN chan |-> Messages(chan[c])],
        recChan <- whiteInRed

RefinesWhiteRed == WR!Spec                                                           \* A5, A6, A10, A11

EventuallyComplete == <>Complete                                                     \* E14, E18, A10

(* What is in channel c, if the graph has it.                               *)
InWay(c) == IF c \in ChannelsOf[topo] THEN chan[c] ELSE << >>

(* No input stays blocked: again and again each channel is empty.  (Of an   *)
(* application that ends, as `Dataflow' does.)                              *)
EverythingArrives == \A c \in Channel : []<>(InWay(c) = << >>)                      \* E18, A6, A10, A11
==============================================================================
