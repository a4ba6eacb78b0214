------------------------------- MODULE Snapshots -------------------------------
(***************************************************************************)
(* Chandy and Lamport's algorithm, again and again, and several at a time. *)
(*                                                                         *)
(* A snapshot has an id: who initiates it, and the how-many-th it is of    *)
(* this initiator.  Markers carry the id, and what a process records, it   *)
(* records for each id by itself.  An initiator takes its snapshots one    *)
(* after the other and waits for none, so that its markers come in order   *)
(* on each channel, with no number left out: a process can refuse a second *)
(* marker, and a lost one, and need not remember all ids for that.         *)
(*                                                                         *)
(* It differs from `ChandyLamport' in the ids.  With one id it is          *)
(* `ChandyLamport'; of several, each is, if the others are hidden.         *)
(*                                                                         *)
(*   K. M. Chandy and L. Lamport, TOCS 3(1), 1985, section 3, on repeated  *)
(*   snapshots; E. W. Dijkstra, EWD864a, 1983.                             *)
(***************************************************************************)
EXTENDS Application

CONSTANTS
  Each,    \* how many snapshots each initiator takes
  Overlap  \* 1: an initiator waits for nothing; 0: until all snapshots that were begun are complete

VARIABLES
  topo,        \* the name of the graph; it never changes
  state,       \* [process -> its local state]
  chan,        \* [channel -> the elements in it, first to be accepted first]
  recState,    \* [id -> the states recorded for it: a function on the processes that are red for it]
  recChan,     \* [id -> [channel -> the messages recorded as its state]]
  closed,      \* [id -> the channels whose marker for it was accepted]
  \* Ghosts: no process looks at them.  (So is of a message for which ids it is red.)
  whiteInRed,  \* [id -> [channel -> the white messages accepted from it in red actions]]
  redInWhite   \* [id -> [channel -> the red messages accepted from it in white actions]]

app    == <<topo, state, chan>>
ghosts == <<whiteInRed, redInWhite>>
vars   == <<topo, state, chan, recState, recChan, closed, whiteInRed, redInWhite>>

(* The ids of the snapshots, <<initiator, number>>.                         *)
IdsOf == [t \in DOMAIN Graphs |-> Graphs[t].initiators \X (1..Each)]

Marker(n)    == [control |-> "marker", id |-> n]
IsMarker(e)  == "control" \in DOMAIN e
IsMessage(e) == "msg" \in DOMAIN e

(* The processes that are red for snapshot n, and the snapshots for which p *)
(* is: it has recorded its state.                                           *)
Red(n)    == DOMAIN recState[n]
RedFor(p) == {n \in IdsOf[topo] : p \in Red(n)}

(* Only a process that has recorded for an id has closed an input for it,   *)
(* and nothing was recorded from the inputs of one that has not.            *)
TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] :
       IF IsMarker(chan[c][i]) THEN chan[c][i].id \in IdsOf[topo] ELSE chan[c][i].red \subseteq IdsOf[topo]
  /\ DOMAIN recState = IdsOf[topo]
  /\ DOMAIN recChan = IdsOf[topo]
  /\ DOMAIN closed = IdsOf[topo]
  /\ DOMAIN whiteInRed = IdsOf[topo]
  /\ DOMAIN redInWhite = IdsOf[topo]
  /\ \A n \in IdsOf[topo] :
       /\ Red(n) \subseteq ProcessesOf[topo]
       /\ DOMAIN recChan[n] = ChannelsOf[topo]
       /\ \A c \in ChannelsOf[topo] : recChan[n][c] # << >> => Target(c) \in Red(n)
       /\ closed[n] \subseteq {c \in ChannelsOf[topo] : Target(c) \in Red(n)}

Nothing == [n \in IdsOf[topo] |-> [c \in ChannelsOf[topo] |-> << >>]]

Init ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState   = [n \in IdsOf[topo] |-> << >>]
  /\ recChan    = Nothing
  /\ closed     = [n \in IdsOf[topo] |-> {}]
  /\ whiteInRed = Nothing
  /\ redInWhite = Nothing

------------------------------------------------------------------------------

(* The algorithm's decisions.                                               *)

(* A process knows by itself that its part of n is complete.                *)
LocallyComplete(p, n) == p \in Red(n) /\ InputsOf[topo][p] \subseteq closed[n]       \* E15

CompleteFor(n) == \A p \in ProcessesOf[topo] : LocallyComplete(p, n)

(* The next snapshot of initiator p.                                        *)
NextOf(p) == <<p, 1 + Cardinality({n \in RedFor(p) : n[1] = p})>>

(* May p begin its next snapshot?                                           *)
MayInitiate(p) ==                                                                    \* E16
  /\ NextOf(p) \in IdsOf[topo]
  /\ Overlap = 0 => \A n \in IdsOf[topo] : Red(n) # {} => CompleteFor(n)

(* Does p turn red for n when a marker of n comes?  At the first one.       *)
TurnsRed(p, n) == p \notin Red(n)                                                    \* E13

(* The snapshots for which a message from c is a part of its state.         *)
Recording(c) == {n \in IdsOf[topo] : Target(c) \in Red(n) /\ c \notin closed[n]}     \* E6

------------------------------------------------------------------------------

(* Process p records its state for n, and puts a marker on each output, the *)
(* channels being as in `taken' before that.                                *)
Record(p, n, taken) ==
  /\ recState' = [recState EXCEPT ![n] = @ @@ (p :> state[p])]                       \* E6
  /\ chan'     = [c \in DOMAIN taken |-> IF Source(c) = p THEN Append(taken[c], Marker(n)) ELSE taken[c]]
  /\ UNCHANGED recChan

(* The marker of n closes c for n.                                          *)
Close(c, n) == closed' = [closed EXCEPT ![n] = @ \cup {c}]                           \* E6, E15

(* Message m as its source sends it on c: red for the ids for which that is.*)
Sent(c, m) == [msg |-> m, red |-> RedFor(Source(c))]                                 \* E2

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       /\ state' = [state EXCEPT ![p] = AfterSend(p, c, @, m)]
       /\ chan'  = [chan EXCEPT ![c] = Append(@, Sent(c, m))]
  /\ UNCHANGED <<topo, recState, recChan, closed, ghosts>>

(* A ghost, after message e was taken from c: it notes it for these ids.    *)
Noted(ghost, ids, c, e) == [n \in DOMAIN ghost |-> IF n \in ids THEN [ghost[n] EXCEPT ![c] = Append(@, e.msg)]
                                                                ELSE ghost[n]]

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ IsMessage(e)
       /\ Acceptable(p, c, state[p], e.msg)
       /\ state'      = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
       /\ chan'       = [chan EXCEPT ![c] = Without(@, i)]
       /\ recChan'    = Noted(recChan, Recording(c), c, e)
       /\ whiteInRed' = Noted(whiteInRed, RedFor(p) \ e.red, c, e)
       /\ redInWhite' = Noted(redInWhite, e.red \ RedFor(p), c, e)
  /\ UNCHANGED <<topo, recState, closed>>

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : state' = [state EXCEPT ![p] = s]
  /\ UNCHANGED <<topo, chan, recState, recChan, closed, ghosts>>

(* An initiator begins its next snapshot.                                   *)
Initiate(p) ==
  /\ p \in InitiatorsOf[topo]
  /\ MayInitiate(p)
  /\ Record(p, NextOf(p), chan)
  /\ UNCHANGED <<topo, state, closed, ghosts>>

AcceptMarker(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET n     == chan[c][i].id
           taken == [chan EXCEPT ![c] = Without(@, i)]
       IN
       /\ IsMarker(chan[c][i])
       /\ IF TurnsRed(p, n) THEN Record(p, n, taken) ELSE chan' = taken /\ UNCHANGED <<recState, recChan>>
       /\ Close(c, n)
  /\ UNCHANGED <<topo, state, ghosts>>

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Initiate(p)
  \/ \E c \in Channel : AcceptMarker(c)

Spec == Init /\ [][Next]_vars

(* Every message and every marker is eventually accepted, and an initiator  *)
(* does take its snapshots (E18).                                           *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c)) /\ WF_vars(AcceptMarker(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

Complete == \A n \in IdsOf[topo] : CompleteFor(n)
Over     == Complete

(* Some snapshot is complete, and not all of its channels are empty.        *)
ChannelState == \E n \in IdsOf[topo] : CompleteFor(n) /\ \E c \in ChannelsOf[topo] : recChan[n][c] # << >>

TurnsRedOnce ==                                                                      \* E1
  [][\A n \in IdsOf[topo] : \A p \in Red(n) : p \in DOMAIN recState'[n] /\ recState'[n][p] = recState[n][p]]_vars

NoRedInWhite ==                                                                      \* E4
  \A n \in IdsOf[topo] : \A c \in ChannelsOf[topo] : redInWhite[n][c] = << >>

SnapshotConserves ==                                                                 \* E7
  \A n \in IdsOf[topo] : CompleteFor(n) => Conserved(recState[n], recChan[n])

RecordedIsSSS == \A n \in IdsOf[topo] : CompleteFor(n) => recChan[n] = whiteInRed[n]    \* E6

(* The markers of n in q.                                                   *)
MarkersOf(q, n) == SelectSeq(q, LAMBDA e : e = Marker(n))

(* Of a channel whose source is red for n, the marker is in the channel or  *)
(* was accepted; of another, there is none.                                 *)
OneMarker ==                                                                         \* E11
  \A n \in IdsOf[topo] : \A c \in ChannelsOf[topo] :
    Len(MarkersOf(chan[c], n)) + (IF c \in closed[n] THEN 1 ELSE 0) = (IF Source(c) \in Red(n) THEN 1 ELSE 0)

(* In each channel the marker of n is behind what is white for n, and ahead *)
(* of what is red.                                                          *)
MarkerSeparates ==                                                                   \* E12
  \A n \in IdsOf[topo] : \A c \in ChannelsOf[topo] : \A i, j \in DOMAIN chan[c] :
    i < j => /\ chan[c][i] = Marker(n) /\ IsMessage(chan[c][j]) => n \in chan[c][j].red
             /\ chan[c][j] = Marker(n) /\ IsMessage(chan[c][i]) => n \notin chan[c][i].red

(* The markers of one initiator come in the order of their numbers, and     *)
(* none is left out: what was accepted from a channel, and then what is in  *)
(* it, is 1, 2, ..                                                          *)
MarkersAscend ==                                                                     \* E11
  \A c \in ChannelsOf[topo] : \A p \in InitiatorsOf[topo] :
    LET Mine(e)  == IsMarker(e) /\ e.id[1] = p
        inside   == SelectSeq(chan[c], Mine)
        accepted == {n[2] : n \in {m \in IdsOf[topo] : m[1] = p /\ c \in closed[m]}}
    IN  /\ accepted = 1..Cardinality(accepted)
        /\ \A i \in DOMAIN inside : inside[i].id[2] = Cardinality(accepted) + i

(* Where snapshots do not overlap, of two that were begun one is complete.  *)
OneAtATime ==                                                                        \* E16
  \A m, n \in IdsOf[topo] :
    m # n /\ Red(m) # {} /\ Red(n) # {} => CompleteFor(m) \/ CompleteFor(n)

(* When a process says that its part of n is done, it is final.             *)
LocallyFinal ==                                                                      \* E15
  \A n \in IdsOf[topo] : \A p \in ProcessesOf[topo] : LocallyComplete(p, n) =>
    \A c \in InputsOf[topo][p] : /\ recChan[n][c] = whiteInRed[n][c]
                                 /\ Source(c) \in Red(n)
                                 /\ \A i \in DOMAIN chan[c] : IsMessage(chan[c][i]) => n \in chan[c][i].red

------------------------------------------------------------------------------

(* What is in the channels with the colours of snapshot n alone, and of the *)
(* markers those of n.                                                      *)
SeenFor(n, e)  == IF IsMarker(e) THEN [control |-> "marker"]
                                 ELSE [msg |-> e.msg, colour |-> IF n \in e.red THEN "red" ELSE "white"]
ViewOf(n, q)   == LET mine == SelectSeq(q, LAMBDA e : IsMessage(e) \/ e = Marker(n))
                  IN  [i \in DOMAIN mine |-> SeenFor(n, mine[i])]

WR(n) == INSTANCE WhiteRed WITH
           chan     <- [c \in DOMAIN chan |-> ViewOf(n, SelectSeq(chan[c], IsMessage))],
           recState <- recState[n],
           recChan  <- recChan[n]

(* Each snapshot by itself is one of `WhiteRed'.                            *)
RefinesWhiteRed ==                                                                   \* E6, E13
  /\ \A n \in IdsOf[topo] : WR(n)!Init
  /\ [][\A n \in IdsOf[topo] : WR(n)!Next \/ UNCHANGED WR(n)!vars]_vars

CL(n) == INSTANCE ChandyLamport WITH
           chan       <- [c \in DOMAIN chan |-> ViewOf(n, chan[c])],
           recState   <- recState[n],
           recChan    <- recChan[n],
           closed     <- closed[n],
           markers    <- [c \in DOMAIN chan |->
                            Len(MarkersOf(chan[c], n)) + IF c \in closed[n] THEN 1 ELSE 0],
           whiteInRed <- whiteInRed[n],
           redInWhite <- redInWhite[n]

(* With the other ids hidden, it is one of `ChandyLamport'.                 *)
RefinesChandyLamport ==                                                              \* E11, E13, E15
  /\ \A n \in IdsOf[topo] : CL(n)!Init
  /\ [][\A n \in IdsOf[topo] : CL(n)!Next \/ UNCHANGED CL(n)!vars]_vars

(* The messages in the channels, as the computation sees them.              *)
Visible == [c \in ChannelsOf[topo] |-> LET q == SelectSeq(chan[c], IsMessage) IN [i \in DOMAIN q |-> q[i].msg]]

(* The computation as it is, without the markers.                           *)
Underlying == INSTANCE Computation WITH chan <- Visible

(* The computation goes on as if there were no snapshots, but that a marker *)
(* has to be taken from in front of a message.                              *)
HoldsNobodyUp ==                                                                     \* E22
  \A p \in ProcessesOf[topo] :
    \A move \in StepsFrom(p, state[p], [c \in InputsOf[topo][p] |-> Visible[c]], OutputsOf[topo][p]) :
      \/ ENABLED (/\ Next
                  /\ state'   = [state EXCEPT ![p] = move.after]
                  /\ Visible' = Exchanged(Visible, move.accepts, move.sends))
      \/ \E c \in move.accepts : ENABLED AcceptMarker(c)

(* What liveness needs of the application (E18), as in `Colours'.           *)
InputEnabled ==
  <>[](\A c \in ChannelsOf[topo] :
         chan[c] # << >> /\ IsMessage(Head(chan[c])) =>
           Acceptable(Target(c), c, state[Target(c)], Head(chan[c]).msg))

EventuallyComplete == <>Complete                                                     \* E14, E15, E18

------------------------------------------------------------------------------

(* Everyone can be reached from each initiator alone, who takes snapshots   *)
(* of its own.                                                              *)
EachReachesAll ==                                                                    \* E14
  \A t \in DOMAIN Graphs : \A p \in Graphs[t].initiators : Reach(Graphs[t], {p}) = Proc(Graphs[t])

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []OneMarker
THEOREM Spec => []MarkerSeparates
THEOREM Spec => []MarkersAscend
THEOREM Overlap = 0 /\ Spec => []OneAtATime
THEOREM Spec => []HoldsNobodyUp
THEOREM Spec => []LocallyFinal
THEOREM Spec => RefinesWhiteRed
THEOREM Spec => RefinesChandyLamport
THEOREM EachReachesAll /\ InputEnabled /\ FairSpec => EventuallyComplete
==============================================================================
