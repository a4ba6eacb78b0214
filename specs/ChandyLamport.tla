---------------------------- MODULE ChandyLamport ----------------------------
(***************************************************************************)
(* Chandy and Lamport's algorithm, with EWD864a's colours as ghosts.       *)
(*                                                                         *)
(* A process records its state, spontaneously if it is an initiator or     *)
(* else when it accepts its first marker, and puts a marker on each of its *)
(* outputs before anything else.  It then records what it accepts from an  *)
(* input until that input's marker comes.                                  *)
(*                                                                         *)
(* It differs from `WhiteRed' in that there is no magic: a process turns   *)
(* red when it records, and a marker precedes every red message.           *)
(*                                                                         *)
(*   K. M. Chandy and L. Lamport, "Distributed Snapshots: Determining      *)
(*   Global States of Distributed Systems", TOCS 3(1), 1985, section 3.    *)
(***************************************************************************)
EXTENDS Application

VARIABLES
  topo,        \* the name of the graph; it never changes
  state,       \* [process -> its local state]
  chan,        \* [channel -> the messages and markers in it, first to be accepted first]
  recState,    \* recorded states: a function on the processes that have recorded
  recChan,     \* [channel -> the messages recorded as its state]
  closed,      \* the channels whose marker was accepted: their recording is closed
  markers,     \* [channel -> the number of markers sent on it]
  \* Ghosts: no process can see them.  (So is a message's colour.)
  whiteInRed,  \* [channel -> the white messages accepted from it in red actions]
  redInWhite   \* [channel -> the red messages accepted from it in white actions]

app    == <<topo, state, chan>>
record == <<recState, recChan, closed, markers>>
ghosts == <<whiteInRed, redInWhite>>
vars   == <<topo, state, chan, recState, recChan, closed, markers, whiteInRed, redInWhite>>

Marker             == [control |-> "marker"]
Message(m, colour) == [msg |-> m, colour |-> colour]
IsMessage(e)       == "msg" \in DOMAIN e
IsMarker(e)        == ~IsMessage(e)
Messages(q)        == SelectSeq(q, IsMessage)
HasColour(e, colour) == IsMessage(e) /\ e.colour = colour
Tinted(q, colour)  == SelectSeq(q, LAMBDA e : HasColour(e, colour))
Plain(q)           == [i \in DOMAIN q |-> q[i].msg]

Red       == DOMAIN recState
Colour(p) == IF p \in Red THEN "red" ELSE "white"

Init ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState   = << >>
  /\ recChan    = [c \in ChannelsOf[topo] |-> << >>]
  /\ closed     = {}
  /\ markers    = [c \in ChannelsOf[topo] |-> 0]
  /\ whiteInRed = [c \in ChannelsOf[topo] |-> << >>]
  /\ redInWhite = [c \in ChannelsOf[topo] |-> << >>]

------------------------------------------------------------------------------

(* The algorithm's decisions.  Each mutant overrides one of these, or one   *)
(* of `Application'.                                                        *)

(* May p record spontaneously?  An initiator may.                           *)
MayInitiate(p) == p \in InitiatorsOf[topo]                                      \* E16

(* Does white process p turn red in this action?  In the very action in     *)
(* which it accepts its first marker.                                       *)
TurnsRed(p, acceptsMarker) == acceptsMarker                                          \* E13

(* Does p put a marker on each output in this action?  As it turns red.     *)
SendsMarkers(p, turning, acceptsMarker) == turning                                   \* E11

(* What p puts on c in an action of this colour that sends `body': the      *)
(* marker behind what is white, and ahead of what is red.                   *)
Emission(c, sendsMarkers, action, body) ==                                           \* E12
  IF sendsMarkers THEN IF action = "red" THEN <<Marker>> \o body ELSE body \o <<Marker>> ELSE body

(* What is recorded of a process that turns red in an action of this colour *)
(* from state s to state t: what white actions, and they alone, have made.  *)
StateRecorded(action, s, t) == IF action = "white" THEN t ELSE s                     \* E6, E17

(* The recorded states after an action in which p would record v.           *)
Recorded(p, turning, acceptsMarker, v) == IF turning THEN recState @@ (p :> v) ELSE recState  \* E1

(* Is message e that p accepts from c in an action of this colour a part of *)
(* the channel's state?                                                     *)
Recording(p, action, c, e) == action = "red" /\ c \notin closed                     \* E6

(* Does accepting e close the recording of its channel?                     *)
Closes(e) == IsMarker(e)                                                             \* E6

(* A process knows by itself that its part is complete: it has recorded and *)
(* each of its inputs is closed.                                            *)
LocallyComplete(p) == p \in Red /\ InputsOf[topo][p] \subseteq closed                \* E15

------------------------------------------------------------------------------

Turning(p, acceptsMarker) == p \notin Red /\ TurnsRed(p, acceptsMarker)
After(p, acceptsMarker)   == IF p \in Red \/ Turning(p, acceptsMarker) THEN "red" ELSE "white"
MarkersIn(body)           == Len(SelectSeq(body, IsMarker))

Sent(c, action, after, m) == Message(m, Tint(action, after, Colour(Target(c))))      \* E2
Silence(p)                == [c \in OutputsOf[topo][p] |-> << >>]

(* Process p ends an action of this colour in state s, having taken its     *)
(* inputs, which leaves the channels as in `taken', and sends body[c] on    *)
(* output c.                                                                *)
Act(p, action, acceptsMarker, s, taken, body) ==
  LET turning == Turning(p, acceptsMarker)
      sends   == SendsMarkers(p, turning, acceptsMarker)
      out     == [c \in OutputsOf[topo][p] |-> Emission(c, sends, action, body[c])]
  IN  /\ state'    = [state EXCEPT ![p] = s]
      /\ chan'     = [c \in DOMAIN chan |-> IF Source(c) = p THEN taken[c] \o out[c] ELSE taken[c]]
      /\ markers'  = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + MarkersIn(out[c])
                                                              ELSE markers[c]]
      /\ recState' = Recorded(p, turning, acceptsMarker, StateRecorded(action, state[p], s))

(* What an action of this colour, which takes e from c, adds to the channel *)
(* as recorded, and what the ghosts see of it.                              *)
Extended(q, e, condition) == IF IsMessage(e) /\ condition THEN Append(q, e.msg) ELSE q
RecordedFrom(c, action, e) == Extended(recChan[c], e, Recording(Target(c), action, c, e))
WhiteInRed(c, action, e)   == Extended(whiteInRed[c], e, action = "red" /\ HasColour(e, "white"))
RedInWhite(c, action, e)   == Extended(redInWhite[c], e, action = "white" /\ HasColour(e, "red"))

(* An action of this colour takes e from c, and nothing else.               *)
Take(c, action, e) ==
  /\ recChan'    = [recChan EXCEPT ![c] = RecordedFrom(c, action, e)]
  /\ whiteInRed' = [whiteInRed EXCEPT ![c] = WhiteInRed(c, action, e)]
  /\ redInWhite' = [redInWhite EXCEPT ![c] = RedInWhite(c, action, e)]
  /\ closed'     = IF Closes(e) THEN closed \cup {c} ELSE closed

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       Act(p, Colour(p), FALSE, AfterSend(p, c, state[p], m), chan,
           [Silence(p) EXCEPT ![c] = <<Sent(c, Colour(p), After(p, FALSE), m)>>])
  /\ UNCHANGED <<topo, recChan, closed, ghosts>>

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ IsMessage(e)
       /\ Acceptable(p, c, state[p], e.msg)
       /\ Act(p, Colour(p), FALSE, AfterAccept(p, c, state[p], e.msg), [chan EXCEPT ![c] = Without(@, i)],
              Silence(p))
       /\ Take(c, Colour(p), e)
  /\ UNCHANGED topo

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : Act(p, Colour(p), FALSE, s, chan, Silence(p))
  /\ UNCHANGED <<topo, recChan, closed, ghosts>>

(* The inputs of p whose first element is a marker, or may be accepted.     *)
Takable(p) ==
  {c \in InputsOf[topo][p] : /\ chan[c] # << >>
                             /\ IsMarker(Head(chan[c])) \/ Acceptable(p, c, state[p], Head(chan[c]).msg)}

(* An action may accept its process's first marker together with ordinary   *)
(* messages, and send.  EWD864a leaves its colour open.  Either will do.    *)
Colours(p, acceptsMarker) == IF Turning(p, acceptsMarker) THEN {"white", "red"} ELSE {Colour(p)}

Exchange(p) ==                                                                       \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E T \in SUBSET Takable(p), B \in SUBSET OutputsOf[topo][p] :
       LET head == [c \in T |-> Head(chan[c])]
           A    == {c \in T : IsMessage(head[c])}
           acceptsMarker == A # T
       IN
       /\ Cardinality(T) + Cardinality(B) >= 2
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> head[c].msg]), B),
             action \in Colours(p, acceptsMarker) :
            /\ Act(p, action, acceptsMarker, r[1],
                   [c \in DOMAIN chan |-> IF c \in T THEN Tail(chan[c]) ELSE chan[c]],
                   [c \in OutputsOf[topo][p] |->
                      IF c \in B THEN [i \in DOMAIN r[2][c] |->
                                         Sent(c, action, After(p, acceptsMarker), r[2][c][i])]
                                 ELSE << >>])
            /\ recChan'    = [c \in DOMAIN chan |-> IF c \in T THEN RecordedFrom(c, action, head[c])
                                                               ELSE recChan[c]]
            /\ whiteInRed' = [c \in DOMAIN chan |-> IF c \in T THEN WhiteInRed(c, action, head[c])
                                                               ELSE whiteInRed[c]]
            /\ redInWhite' = [c \in DOMAIN chan |-> IF c \in T THEN RedInWhite(c, action, head[c])
                                                               ELSE redInWhite[c]]
       /\ closed' = closed \cup {c \in T : Closes(head[c])}
  /\ UNCHANGED topo

(* An initiator records spontaneously; any number of them may (E16).        *)
Initiate(p) ==
  /\ p \in ProcessesOf[topo] \ Red
  /\ MayInitiate(p)
  /\ recState' = Recorded(p, TRUE, FALSE, state[p])
  /\ LET sends == SendsMarkers(p, TRUE, FALSE)
         out   == [c \in OutputsOf[topo][p] |-> Emission(c, sends, "red", << >>)] IN
     /\ chan'    = [c \in DOMAIN chan |-> IF Source(c) = p THEN chan[c] \o out[c] ELSE chan[c]]
     /\ markers' = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + MarkersIn(out[c])
                                                            ELSE markers[c]]
  /\ UNCHANGED <<topo, state, recChan, closed, ghosts>>

AcceptMarker(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       /\ IsMarker(chan[c][i])
       /\ Act(p, Colour(p), TRUE, state[p], [chan EXCEPT ![c] = Without(@, i)], Silence(p))
       /\ Take(c, Colour(p), chan[c][i])
  /\ UNCHANGED topo

Next ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E p \in Process : Initiate(p)
  \/ \E c \in Channel : AcceptMarker(c)

Spec == Init /\ [][Next]_vars

(* Every message and every marker is eventually accepted, and an initiator  *)
(* does initiate (E18).                                                     *)
Fairness ==
  /\ \A c \in FairChannels : WF_vars(Accept(c)) /\ WF_vars(AcceptMarker(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

(* Only a process that has recorded has closed an input, and nothing was    *)
(* recorded from the inputs of one that has not.                            *)
TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] :
       chan[c][i] = Marker \/ chan[c][i].colour \in {"white", "red"}
  /\ Red \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : recChan[c] # << >> => Target(c) \in Red
  /\ closed \subseteq {c \in ChannelsOf[topo] : Target(c) \in Red}
  /\ markers \in [ChannelsOf[topo] -> Nat]
  /\ DOMAIN whiteInRed = ChannelsOf[topo]
  /\ DOMAIN redInWhite = ChannelsOf[topo]

Complete == \A p \in ProcessesOf[topo] : LocallyComplete(p)
Over     == Complete

TurnsRedOnce ==                                                                      \* E1
  [][\A p \in Red : p \in DOMAIN recState' /\ recState'[p] = recState[p]]_vars

ColourDiscipline ==                                                                  \* E2
  \A c \in ChannelsOf[topo] : Source(c) \notin Red => Tinted(chan[c], "red") = << >>

NoRedInWhite ==                                                                      \* E4
  \A c \in ChannelsOf[topo] : redInWhite[c] = << >>

(* The snapshot obeys the law of the application's global states.           *)
SnapshotConserves == Complete => Conserved(recState, recChan)                        \* E7

(* What the algorithm recorded is SSS, which the colours define.            *)
RecordedIsSSS == Complete => recChan = whiteInRed                                    \* E6

OneMarker ==                                                                         \* E11
  \A c \in ChannelsOf[topo] : markers[c] = (IF Source(c) \in Red THEN 1 ELSE 0)

(* In each channel: white messages, the marker, red messages.               *)
MarkerSeparates ==                                                                   \* E12
  \A c \in ChannelsOf[topo] : \A i, j \in DOMAIN chan[c] :
    i < j => /\ IsMarker(chan[c][i]) => ~HasColour(chan[c][j], "white")
             /\ IsMarker(chan[c][j]) => ~HasColour(chan[c][i], "red")

(* When a process says it is done, its inputs' recordings are final.        *)
LocallyFinal ==                                                                      \* E15
  \A p \in ProcessesOf[topo] : LocallyComplete(p) =>
    \A c \in InputsOf[topo][p] : /\ recChan[c] = whiteInRed[c]
                                 /\ Tinted(chan[c], "white") = << >>
                                 /\ Source(c) \in Red

C == INSTANCE Computation WITH
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |-> recChan[c] \o Plain(Tinted(chan[c], "white"))]

SSSReachable == C!Spec                                                               \* E7

WR == INSTANCE WhiteRed WITH chan <- [c \in DOMAIN chan |-> Messages(chan[c])]

RefinesWhiteRed == WR!Spec                                                           \* E13

EventuallyComplete == <>Complete                                                     \* E14, E15, E18

AllRed == /\ Red = ProcessesOf[topo]
          /\ \A c \in ChannelsOf[topo] : Tinted(chan[c], "white") = << >>

EventuallyAllRed == <>[]AllRed                                                       \* E3, E18

(* Whoever the initiators reach turns red in the end, and nobody else does. *)
Reached == [t \in DOMAIN Graphs |-> Reach(Graphs[t], Graphs[t].initiators)]

EventuallyRedIfReached == <>[](Red = Reached[topo])                                  \* E14

------------------------------------------------------------------------------

THEOREM Spec => []TypeOK
THEOREM Spec => TurnsRedOnce
THEOREM Spec => []ColourDiscipline
THEOREM Spec => []NoRedInWhite
THEOREM Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []OneMarker
THEOREM Spec => []MarkerSeparates
THEOREM Spec => []LocallyFinal
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM FairSpec => EventuallyRedIfReached
THEOREM (\A t \in DOMAIN Graphs : EveryoneReachable(Graphs[t])) /\ FairSpec => EventuallyComplete
THEOREM (\A t \in DOMAIN Graphs : EveryoneReachable(Graphs[t])) /\ FairSpec => EventuallyAllRed
==============================================================================
