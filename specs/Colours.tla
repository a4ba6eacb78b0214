------------------------------- MODULE Colours --------------------------------
(***************************************************************************)
(* EWD864a's colours, as all modules have them in which a snapshot of a    *)
(* computation is taken.  A process is white until its state is recorded,  *)
(* and then red; so is each of its actions; and a message has the colour   *)
(* of the action that sends it.                                            *)
(*                                                                         *)
(* It differs from `Application' in that it has the variables that all of  *)
(* those modules have: the computation's, and the snapshot's.              *)
(*                                                                         *)
(*   E. W. Dijkstra, EWD864a, 1983.                                        *)
(***************************************************************************)
EXTENDS Application

VARIABLES
  topo,      \* the name of the graph; it never changes
  state,     \* [process -> its local state]
  chan,      \* [channel -> the elements in it, first to be accepted first]
  recState,  \* recorded states: a function on the processes that have recorded, the red ones
  recChan    \* [channel -> the messages recorded as its state]

Red       == DOMAIN recState
Colour(p) == IF p \in Red THEN "red" ELSE "white"

------------------------------------------------------------------------------

(* An element of a channel is a message with its colour, or what controls   *)
(* the snapshot: a marker, or a barrier.                                    *)
HasColour(e, colour) == "colour" \in DOMAIN e /\ e.colour = colour
IsMessage(e)         == "msg" \in DOMAIN e

(* Of a sequence of elements: its messages, those of one colour, and what   *)
(* the colours were added to.                                               *)
Messages(q)       == SelectSeq(q, IsMessage)
Tinted(q, colour) == SelectSeq(q, LAMBDA e : HasColour(e, colour))
Plain(q)          == [i \in DOMAIN q |-> q[i].msg]

------------------------------------------------------------------------------

(* Message m as it is sent on c in an action of this colour.                *)
Sent(c, m, action) == [msg |-> m, colour |-> action]                                 \* E2

(* The same of [channel -> the messages sent on it].                        *)
Coloured(sent, action) == [c \in DOMAIN sent |-> [i \in DOMAIN sent[c] |-> Sent(c, sent[c][i], action)]]

(* What liveness needs of the application (E18): from some time on, the     *)
(* message that is first in its channel may be accepted.                    *)
InputEnabled ==
  <>[](\A c \in ChannelsOf[topo] :
         chan[c] # << >> /\ IsMessage(Head(chan[c])) =>
           Acceptable(Target(c), c, state[Target(c)], Head(chan[c]).msg))

------------------------------------------------------------------------------

(* The messages in the channels, as the computation sees them.              *)
Visible == [c \in ChannelsOf[topo] |-> Plain(Messages(chan[c]))]

(* The states and the visible messages after a step of the computation.     *)
After(move) == <<[state EXCEPT ![move.by] = move.after], Exchanged(Visible, move.accepts, move.sends)>>

(* The steps that some process could take now if there were no snapshot,    *)
(* and that change something.                                               *)
ComputationSteps ==
  {move \in UNION { StepsFrom(p, state[p], [c \in InputsOf[topo][p] |-> Visible[c]], OutputsOf[topo][p])
                    : p \in ProcessesOf[topo] }
   : After(move) # <<state, Visible>>}

(* The computation takes this step.                                         *)
Takes(move) == <<state', Visible'>> = After(move)

(* The steps of the computation that a protocol holds up, N being its       *)
(* next-state relation: N does not take them now, nor is there one of its   *)
(* markers in front of a message that the step accepts, which               *)
(* AcceptControl could take now.                                            *)
HeldUp(N, AcceptControl(_)) ==                                                       \* E22
  {move \in ComputationSteps :
     /\ ~ENABLED (N /\ Takes(move))
     /\ \A c \in move.accepts : ~IsMessage(Head(chan[c])) => ~ENABLED AcceptControl(c)}

------------------------------------------------------------------------------

(* A ghost, [channel -> messages], after `taken', [channel -> the element   *)
(* taken from it]: it notes the messages of one colour.                     *)
Noted(ghost, taken, colour) ==
  [c \in DOMAIN ghost |-> IF c \in DOMAIN taken /\ HasColour(taken[c], colour)
                          THEN Append(ghost[c], taken[c].msg) ELSE ghost[c]]
==============================================================================
