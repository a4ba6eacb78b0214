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
EXTENDS Colours

(* Of `Colours' are topo, state, chan, recState and recChan.                *)
VARIABLES
  closed,      \* the channels whose marker was accepted: their recording is closed
  \* Ghosts: no process looks at them.  (So is a message's colour.)
  markers,     \* [channel -> the number of markers sent on it], which OneMarker counts
  whiteInRed,  \* [channel -> the white messages accepted from it in red actions]
  redInWhite   \* [channel -> the red messages accepted from it in white actions]

app    == <<topo, state, chan>>
record == <<recState, recChan, closed, markers>>
ghosts == <<whiteInRed, redInWhite>>
vars   == <<topo, state, chan, recState, recChan, closed, markers, whiteInRed, redInWhite>>

Marker      == [control |-> "marker"]
IsMarker(e) == "control" \in DOMAIN e

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

(* The algorithm's decisions.                                               *)

(* May p record spontaneously?  An initiator may.                           *)
MayInitiate(p) == p \in InitiatorsOf[topo]                                           \* E16

(* May p record its state?  Once.                                           *)
MayRecord(p) == p \notin Red                                                         \* E1

(* Does p turn red in this action?  In the very action in which it accepts  *)
(* its first marker.                                                        *)
TurnsRed(p, acceptsMarker) == p \notin Red /\ acceptsMarker                          \* E13

(* What is put on c in an action of this colour that sends `body' on it: if *)
(* the process turns, a marker too, behind what is white, ahead of what is  *)
(* red.                                                                     *)
Emission(c, turns, action, body) ==                                                  \* E11, E12
  IF turns THEN IF action = "red" THEN <<Marker>> \o body ELSE body \o <<Marker>> ELSE body

(* Is c being recorded in an action of its target of this colour?           *)
Recording(c, action) == action = "red" /\ c \notin closed                            \* E6

(* A process knows by itself that its part is complete: it has recorded and *)
(* each of its inputs is closed.                                            *)
LocallyComplete(p) == p \in Red /\ InputsOf[topo][p] \subseteq closed                \* E15

------------------------------------------------------------------------------

(* Process p puts out[c] on each output c, the channels being as in `taken' *)
(* before that.                                                             *)
Put(p, out, taken) ==
  /\ chan'    = [c \in DOMAIN chan |-> IF Source(c) = p THEN taken[c] \o out[c] ELSE taken[c]]
  /\ markers' = [c \in DOMAIN chan |-> IF Source(c) = p THEN markers[c] + Len(SelectSeq(out[c], IsMarker))
                                                         ELSE markers[c]]

(* Process p, in an action of this colour, goes to state s, and sends       *)
(* body[c] on each output c of its domain, the channels being as in `taken' *)
(* before that.  If it turns red it records what its white actions, and     *)
(* they alone, have made of its state.                                      *)
Act(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p])  \* E1, E6
                              ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)

(* An action of this colour takes head[c] from each input c of its domain.  *)
(* A message becomes a part of the channel's state while that is recorded;  *)
(* the marker closes the recording.                                         *)
Take(action, head) ==                                                                \* E6
  /\ recChan' = [c \in DOMAIN chan |->
                   IF c \in DOMAIN head /\ IsMessage(head[c]) /\ Recording(c, action)
                   THEN Append(recChan[c], head[c].msg) ELSE recChan[c]]
  /\ closed'  = closed \cup {c \in DOMAIN head : IsMarker(head[c])}
  /\ whiteInRed' = IF action = "red" THEN Noted(whiteInRed, head, "white") ELSE whiteInRed
  /\ redInWhite' = IF action = "white" THEN Noted(redInWhite, head, "red") ELSE redInWhite

Send(c) ==
  /\ c \in ChannelsOf[topo]
  /\ Room(chan[c])
  /\ LET p == Source(c) IN
     \E m \in Sendable(p, c, state[p]) :
       Act(p, Colour(p), FALSE, AfterSend(p, c, state[p], m), c :> <<Sent(c, m, Colour(p))>>, chan)
  /\ UNCHANGED <<topo, recChan, closed, ghosts>>

Accept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ IsMessage(e)
       /\ Acceptable(p, c, state[p], e.msg)
       /\ Act(p, Colour(p), FALSE, AfterAccept(p, c, state[p], e.msg), << >>, [chan EXCEPT ![c] = Without(@, i)])
       /\ Take(Colour(p), c :> e)
  /\ UNCHANGED topo

Internal(p) ==
  /\ p \in ProcessesOf[topo]
  /\ \E s \in Internals(p, state[p]) : Act(p, Colour(p), FALSE, s, << >>, chan)
  /\ UNCHANGED <<topo, recChan, closed, ghosts>>

(* An initiator records spontaneously; any number of them may (E16).        *)
Initiate(p) ==
  /\ p \in ProcessesOf[topo]
  /\ MayRecord(p)
  /\ MayInitiate(p)
  /\ recState' = (p :> state[p]) @@ recState
  /\ Put(p, [c \in OutputsOf[topo][p] |-> Emission(c, TRUE, "red", << >>)], chan)
  /\ UNCHANGED <<topo, state, recChan, closed, ghosts>>

AcceptMarker(c) ==
  /\ c \in ChannelsOf[topo]
  /\ LET p == Target(c) IN
     \E i \in Positions(chan[c]) :
       LET e == chan[c][i] IN
       /\ IsMarker(e)
       /\ Act(p, Colour(p), TRUE, state[p], << >>, [chan EXCEPT ![c] = Without(@, i)])
       /\ Take(Colour(p), c :> e)
  /\ UNCHANGED topo

(* An action that touches two channels or more.  It may accept its          *)
(* process's first marker together with ordinary messages, and send.        *)
(* EWD864a leaves the colour of such an action open.  Either will do.       *)
Exchange(p) ==                                                                       \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E T \in SUBSET {c \in InputsOf[topo][p] : chan[c] # << >>}, B \in SUBSET OutputsOf[topo][p] :
       LET head == [c \in T |-> Head(chan[c])]
           A    == {c \in T : IsMessage(head[c])}
           msgs == [c \in A |-> head[c].msg]
           acceptsMarker == A # T
       IN
       /\ Cardinality(T) + Cardinality(B) >= 2
       /\ AllAcceptable(p, state[p], msgs)
       /\ \A c \in B : Room(chan[c])
       /\ \E r \in AfterSends(p, AfterAccepts(p, state[p], msgs), B),
             action \in IF TurnsRed(p, acceptsMarker) THEN {"white", "red"} ELSE {Colour(p)} :
            /\ Act(p, action, acceptsMarker, r[1], Coloured(r[2], action), Exchanged(chan, T, << >>))
            /\ Take(action, head)
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

(* The computation goes on as if there were no snapshot, but that a marker  *)
(* has to be taken from in front of a message.                              *)
HoldsNobodyUp == HeldUp(Next, AcceptMarker) = {}                                     \* E22

(* The computation as it is, without the markers.                           *)
Underlying == INSTANCE Computation WITH chan <- Visible

C == INSTANCE Computation WITH
       state <- [p \in DOMAIN state |-> IF p \in Red THEN recState[p] ELSE state[p]],
       chan  <- [c \in DOMAIN chan |-> recChan[c] \o Plain(Tinted(chan[c], "white"))]

SSSReachable == C!Spec                                                               \* E7

WR == INSTANCE WhiteRed WITH chan <- [c \in DOMAIN chan |-> Messages(chan[c])]

RefinesWhiteRed == WR!Spec                                                           \* E6, E13

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
THEOREM (Underlying!Spec => []Underlying!Law) /\ Spec => []SnapshotConserves
THEOREM Spec => []RecordedIsSSS
THEOREM Spec => []OneMarker
THEOREM Spec => []MarkerSeparates
THEOREM Spec => []LocallyFinal
THEOREM Spec => []HoldsNobodyUp
THEOREM Spec => SSSReachable
THEOREM Spec => RefinesWhiteRed
THEOREM InputEnabled /\ FairSpec => EventuallyRedIfReached
THEOREM AllReachable /\ InputEnabled /\ FairSpec => EventuallyComplete
THEOREM AllReachable /\ InputEnabled /\ FairSpec => EventuallyAllRed
==============================================================================
