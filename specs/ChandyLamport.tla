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

(* Does white process p turn red in this action?  In the very action in     *)
(* which it accepts its first marker.                                       *)
TurnsRed(p, acceptsMarker) == acceptsMarker                                          \* E13

(* What p puts on c in an action that sends `body': the marker as soon as   *)
(* it turns red, and ahead of every red message.                            *)
Emission(c, turning, body) == IF turning THEN <<Marker>> \o body ELSE body           \* E11, E12

(* Is a message that p accepts from c part of the channel's state?          *)
Recording(p, c) == p \in Red /\ c \notin closed                                      \* E6

------------------------------------------------------------------------------

Turning(p, acceptsMarker) == p \notin Red /\ TurnsRed(p, acceptsMarker)

IsMarker(e)     == ~IsMessage(e)
MarkersIn(body) == Len(SelectSeq(body, IsMarker))

(* Process p ends an action in state s, having taken its inputs, which      *)
(* leaves the channels as in `taken', and sends body[c] on output c.        *)
Act(p, acceptsMarker, s, taken, body) ==
  LET turning == Turning(p, acceptsMarker)
      out     == [c \in OutputsOf[topo][p] |-> Emission(c, turning, body[c])]
  IN  /\ state'    = [state EXCEPT ![p] = s]
      /\ chan'     = [c \in DOMAIN chan |-> IF Source(c) = p THEN taken[c] \o out[c] ELSE taken[c]]
      /\ markers'  = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + MarkersIn(out[c])
                                                              ELSE markers[c]]
      /\ recState' = IF turning THEN recState @@ (p :> s) ELSE recState

Silence(p) == [c \in OutputsOf[topo][p] |-> << >>]

(* Taking element e from input c, p records it and the ghosts watch.        *)
Take(p, c, e) ==
  /\ recChan'    = IF Recording(p, c) THEN [recChan EXCEPT ![c] = Append(@, e.msg)] ELSE recChan
  /\ whiteInRed' = IF e.colour = "white" /\ p \in Red
                   THEN [whiteInRed EXCEPT ![c] = Append(@, e.msg)] ELSE whiteInRed
  /\ redInWhite' = IF e.colour = "red" /\ p \notin Red
                   THEN [redInWhite EXCEPT ![c] = Append(@, e.msg)] ELSE redInWhite

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       Act(p, FALSE, AfterSend(p, c, state[p], m), chan,
           [Silence(p) EXCEPT ![c] = <<Message(m, Colour(p))>>])
  /\ UNCHANGED <<topo, recChan, closed, ghosts>>

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ IsMessage(e)
       /\ Acceptable(p, c, state[p], e.msg)
       /\ Act(p, FALSE, AfterAccept(p, c, state[p], e.msg), [chan EXCEPT ![c] = Without(@, i)], Silence(p))
       /\ Take(p, c, e)
  /\ UNCHANGED <<topo, closed>>

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : Act(p, FALSE, s, chan, Silence(p))
  /\ UNCHANGED <<topo, recChan, closed, ghosts>>

Exchange(p) ==                                                                       \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in SUBSET {c \in InputsOf[topo][p] :
                        /\ chan[c] # << >>
                        /\ IsMessage(Head(chan[c]))
                        /\ Acceptable(p, c, state[p], Head(chan[c]).msg)},
        B \in SUBSET OutputsOf[topo][p] :
       LET heads == [c \in A |-> Head(chan[c])] IN
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], [c \in A |-> heads[c].msg]), B) :
            Act(p, FALSE, r[1], [c \in DOMAIN chan |-> IF c \in A THEN Tail(chan[c]) ELSE chan[c]],
                [c \in OutputsOf[topo][p] |->
                   IF c \in B THEN <<Message(r[2][c], Colour(p))>> ELSE << >>])
       /\ recChan'    = [c \in DOMAIN chan |->
                           IF c \in A /\ Recording(p, c) THEN Append(recChan[c], heads[c].msg) ELSE recChan[c]]
       /\ whiteInRed' = [c \in DOMAIN chan |->
                           IF c \in A /\ p \in Red /\ heads[c].colour = "white"
                           THEN Append(whiteInRed[c], heads[c].msg) ELSE whiteInRed[c]]
       /\ redInWhite' = [c \in DOMAIN chan |->
                           IF c \in A /\ p \notin Red /\ heads[c].colour = "red"
                           THEN Append(redInWhite[c], heads[c].msg) ELSE redInWhite[c]]
  /\ UNCHANGED <<topo, closed>>

(* An initiator records spontaneously; any number of them may (E16).        *)
Initiate(p) ==
  /\ p \in Graphs[topo].initiators
  /\ p \notin Red
  /\ recState' = recState @@ (p :> state[p])
  /\ LET out == [c \in OutputsOf[topo][p] |-> Emission(c, TRUE, << >>)] IN
     /\ chan'    = [c \in DOMAIN chan |-> IF Source(c) = p THEN chan[c] \o out[c] ELSE chan[c]]
     /\ markers' = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + MarkersIn(out[c])
                                                            ELSE markers[c]]
  /\ UNCHANGED <<topo, state, recChan, closed, ghosts>>

AcceptMarker(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       /\ IsMarker(chan[c][i])
       /\ Act(p, TRUE, state[p], [chan EXCEPT ![c] = Without(@, i)], Silence(p))
  /\ closed' = closed \cup {c}
  /\ UNCHANGED <<topo, recChan, ghosts>>

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
  /\ \A c \in Channel : WF_vars(Accept(c)) /\ WF_vars(AcceptMarker(c))
  /\ \A p \in Process : WF_vars(Initiate(p))

FairSpec == Spec /\ Fairness

------------------------------------------------------------------------------

TypeOK ==
  /\ topo \in DOMAIN Graphs
  /\ DOMAIN state = ProcessesOf[topo]
  /\ DOMAIN chan = ChannelsOf[topo]
  /\ \A c \in ChannelsOf[topo] : \A i \in DOMAIN chan[c] :
       chan[c][i] = Marker \/ chan[c][i].colour \in {"white", "red"}
  /\ Red \subseteq ProcessesOf[topo]
  /\ DOMAIN recChan = ChannelsOf[topo]
  /\ closed \subseteq ChannelsOf[topo]
  /\ markers \in [ChannelsOf[topo] -> Nat]
  /\ DOMAIN whiteInRed = ChannelsOf[topo]
  /\ DOMAIN redInWhite = ChannelsOf[topo]

(* A process knows by itself that its part is complete: it has recorded and *)
(* each of its inputs is closed.                                            *)
LocallyComplete(p) == p \in Red /\ InputsOf[topo][p] \subseteq closed                \* E15

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

C == INSTANCE Computation WITH                                                       \* E7
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |-> recChan[c] \o Plain(Tinted(chan[c], "white"))]

SSSReachable == C!Spec

WR == INSTANCE WhiteRed WITH chan <- [c \in DOMAIN chan |-> Messages(chan[c])]       \* E13

RefinesWhiteRed == WR!Spec

EventuallyComplete == <>Complete                                                     \* E3, E14, E15

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
THEOREM (\A t \in DOMAIN Graphs : EveryoneReachable(Graphs[t])) /\ FairSpec => EventuallyComplete
==============================================================================
