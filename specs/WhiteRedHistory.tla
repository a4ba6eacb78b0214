--------------------------- MODULE WhiteRedHistory ---------------------------
(***************************************************************************)
(* `WhiteRed' with its history, for the claims that speak of all actions   *)
(* of a behaviour: E2 (a machine is white, and then red), E5 (no           *)
(* clairvoyance), the second half of E7 (S1 is reachable from SSS, by the  *)
(* red actions in their order), E20 (the rule is sharp), E21 (SSS need not *)
(* occur) and E23 (the white actions are closed under happened-before).    *)
(*                                                                         *)
(* Histories grow forever, so the number of sends is bounded here.  What   *)
(* a channel can hold is not: see mutants/CappedChannel.                   *)
(***************************************************************************)
EXTENDS WhiteRed

CONSTANT MaxSends  \* how many messages may be sent on each channel

VARIABLES
  begun,       \* the local states at the beginning, S0; all channels are empty in it
  sent,        \* [channel -> all coloured messages ever sent on it]
  accepted,    \* [channel -> all coloured messages ever accepted from it]
  history      \* all actions of machines, in order: records of by (process),
               \* colour, action, at (its channel), msg and tint (the message's colour);
               \* an action that touches several channels is several of them

hvars == <<vars, begun, sent, accepted, history>>

HInit ==
  /\ Init
  /\ begun    = state
  /\ sent     = [c \in ChannelsOf[topo] |-> << >>]
  /\ accepted = [c \in ChannelsOf[topo] |-> << >>]
  /\ history  = << >>

Entry(p, colour, action, c, e) ==
  [by |-> p, colour |-> colour, action |-> action, at |-> c, msg |-> e.msg, tint |-> e.colour]

HSend(c) ==
  /\ Send(c)
  /\ Len(sent[c]) < MaxSends
  /\ LET e == chan'[c][Len(chan'[c])] IN
     /\ sent'    = [sent EXCEPT ![c] = Append(@, e)]
     /\ history' = Append(history, Entry(Source(c), Colour(Source(c)), "Send", c, e))
  /\ UNCHANGED <<begun, accepted>>

HAccept(c) ==
  /\ c \in ChannelsOf[topo]
  /\ \E offer \in Offers(c) :
       /\ Take(c, offer)
       /\ accepted' = [accepted EXCEPT ![c] = Append(@, offer[1])]
       /\ history'  = Append(history, Entry(Target(c), Colour(Target(c)), "Accept", c, offer[1]))
  /\ UNCHANGED <<begun, sent>>

(* An internal action is noted with the state that it leads to.             *)
HInternal(p) ==
  /\ Internal(p)
  /\ history' = Append(history, [by |-> p, colour |-> Colour(p), action |-> "Internal", msg |-> state'[p]])
  /\ UNCHANGED <<begun, sent, accepted>>

(* The entries of an action that accepts, or sends, e[c] on each channel c  *)
(* of `over': one after the other.                                          *)
RECURSIVE Entries(_, _, _, _, _)
Entries(p, colour, action, over, e) ==
  IF over = {} THEN << >>
  ELSE LET c == Least(over)
       IN  <<Entry(p, colour, action, c, e[c])>> \o Entries(p, colour, action, over \ {c}, e)

HAcceptAndSend(p, A, B, colour, Records(_)) ==
  /\ \A c \in B : Len(sent[c]) < MaxSends
  /\ AcceptAndSend(p, A, B, colour, Records)
  /\ LET heads == [c \in A |-> Head(chan[c])]
         lasts == [c \in B |-> chan'[c][Len(chan'[c])]]
     IN  /\ accepted' = [c \in DOMAIN accepted |-> IF c \in A THEN Append(accepted[c], heads[c]) ELSE accepted[c]]
         /\ sent'     = [c \in DOMAIN sent |-> IF c \in B THEN Append(sent[c], lasts[c]) ELSE sent[c]]
         /\ history'  = history \o Entries(p, colour, "Accept", A, heads) \o Entries(p, colour, "Send", B, lasts)
  /\ UNCHANGED begun

HExchange(p) ==                                                                      \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in Takable(p), B \in SUBSET OutputsOf[topo][p] :
       /\ Cardinality(A) + Cardinality(B) >= 2
       /\ HAcceptAndSend(p, A, B, Colour(p), LAMBDA s : UNCHANGED recState)

HTurnInExchange(p) ==                                                                \* E17
  /\ Granularity = "action"
  /\ p \in ProcessesOf[topo]
  /\ \E A \in Takable(p), B \in SUBSET OutputsOf[topo][p] :
       /\ A \cup B # {}
       /\ \E action \in {"white", "red"} :
            HAcceptAndSend(p, A, B, action,
                           LAMBDA s : Turn({p}, [state EXCEPT ![p] = StateRecorded(action, @, s)]))

HTurnRed(S) == TurnRed(S) /\ UNCHANGED <<begun, sent, accepted, history>>

HNext ==
  \/ \E c \in Channel : HAccept(c)
  \/ \E c \in Channel : HSend(c)
  \/ \E p \in Process : HInternal(p)
  \/ \E p \in Process : HExchange(p)
  \/ \E p \in Process : HTurnInExchange(p)
  \/ \E S \in SUBSET Process : HTurnRed(S)

HSpec == HInit /\ [][HNext]_hvars

------------------------------------------------------------------------------

Of(colour) == SelectSeq(history, LAMBDA a : a.colour = colour)

(* A machine is white, and then red: an action that comes after a red       *)
(* one of the same machine is red.                                          *)
WhiteThenRed ==                                                                      \* E2
  \A i, j \in DOMAIN history :
    i < j /\ history[i].by = history[j].by /\ history[i].colour = "red" => history[j].colour = "red"

(* A message has the colour of the action that sends it.                    *)
MessageHasActionsColour ==                                                           \* E2
  \A i \in DOMAIN history : history[i].action = "Send" => history[i].tint = history[i].colour

NoRedInWhite ==                                                                      \* E4
  \A i \in DOMAIN history : history[i].action = "Accept" /\ history[i].tint = "red" => history[i].colour = "red"

(* What was accepted was sent before, and in the order of sending.          *)
NoClairvoyance ==                                                                    \* E5
  \A c \in ChannelsOf[topo] : /\ Len(accepted[c]) <= Len(sent[c])
                              /\ accepted[c] = SubSeq(sent[c], 1, Len(accepted[c]))

(* The global state <<states, channels>> after the actions; << >> if one of *)
(* them cannot be taken.  (Only what touches a channel has an `at'.)        *)
RECURSIVE Replayed(_, _, _)
Replayed(actions, states, channels) ==
  IF actions = << >> THEN <<states, channels>>
  ELSE LET a == Head(actions)
           q == channels[a.at]
       IN  IF a.action = "Internal"
           THEN IF a.msg \in Internals(a.by, states[a.by])
                THEN Replayed(Tail(actions), [states EXCEPT ![a.by] = a.msg], channels)
                ELSE << >>
           ELSE IF a.action = "Send"
           THEN IF a.msg \in Sendable(a.by, a.at, states[a.by])
                THEN Replayed(Tail(actions),
                              [states EXCEPT ![a.by] = AfterSend(a.by, a.at, @, a.msg)],
                              [channels EXCEPT ![a.at] = Append(@, a.msg)])
                ELSE << >>
           ELSE IF q # << >> /\ Head(q) = a.msg /\ Acceptable(a.by, a.at, states[a.by], a.msg)
                THEN Replayed(Tail(actions),
                              [states EXCEPT ![a.by] = AfterAccept(a.by, a.at, @, a.msg)],
                              [channels EXCEPT ![a.at] = Tail(@)])
                ELSE << >>

FromBeginning(actions) == Replayed(actions, begun, [c \in DOMAIN chan |-> << >>])

SSS == <<recState, recChan>>

(* The white actions, in their order, lead from S0 to SSS.                  *)
SSSFromBeginning == Complete => FromBeginning(Of("white")) = SSS                     \* E7

(* The red actions, in their order, lead from SSS to S1.                    *)
EndReachable ==                                                                      \* E7
  Complete => Replayed(Of("red"), recState, recChan) = <<state, [c \in DOMAIN chan |-> Plain(chan[c])]>>

(* SSS is one of the global states that were passed.  It need not be: this  *)
(* is to be violated.                                                       *)
SSSOccurs ==                                                                         \* E21
  Complete => \E k \in 0..Len(history) : FromBeginning(SubSeq(history, 1, k)) = SSS

------------------------------------------------------------------------------

(* The rule is sharp.  With free turning (MayTake overridden by FreeMayTake)*)
(* machines turn red whenever they like, and first all white actions, then  *)
(* all red ones is a computation if and only if no red message was accepted *)
(* in a white action.                                                       *)
(* (Of HSpec as it stands only half of it says something, for the guard     *)
(* makes NoRedInWhite true; the plan checks it with free turning.)          *)
FreeMayTake(action, e) == TRUE

Sharp == NoRedInWhite <=> FromBeginning(Of("white") \o Of("red")) # << >>            \* E20

------------------------------------------------------------------------------

(* Lamport's happened-before, of the entries of the history.  Directly      *)
(* before an entry are the one before it of the same machine, and, if it is *)
(* the k-th acceptance from a channel, the k-th sending on that channel.    *)
Touching(action, c, n) ==
  {k \in 1..n : history[k].action = action /\ history[k].at = c}

DirectlyBefore(i) ==
  {j \in 1..(i - 1) :
     \/ /\ history[j].by = history[i].by
        /\ \A k \in (j + 1)..(i - 1) : history[k].by # history[i].by
     \/ /\ history[i].action = "Accept"
        /\ j \in Touching("Send", history[i].at, i)
        /\ Cardinality(Touching("Send", history[i].at, j)) = Cardinality(Touching("Accept", history[i].at, i))}

(* An entry and all that happened before it.                                *)
RECURSIVE Past(_)
Past(i) == {i} \cup UNION {Past(j) : j \in DirectlyBefore(i)}

(* The cut between white and red is consistent: with an action it has all   *)
(* that happened before it.  A machine turns red between its last white and *)
(* its first red action; so this says, too, that no machine has to turn     *)
(* before another one, in any order of unrelated actions.                   *)
CutIsClosed ==                                                                       \* E23
  \A i \in DOMAIN history : history[i].colour = "white" => \A j \in Past(i) : history[j].colour = "white"

(* With free turning, too, the rule is that definition.                     *)
CutIsClosedIffRule == CutIsClosed <=> NoRedInWhite                                   \* E23

------------------------------------------------------------------------------

THEOREM HSpec => []WhiteThenRed
THEOREM HSpec => []MessageHasActionsColour
THEOREM HSpec => []NoRedInWhite
THEOREM HSpec => []NoClairvoyance
THEOREM HSpec => []SSSFromBeginning
THEOREM HSpec => []EndReachable
THEOREM HSpec => []Sharp
THEOREM HSpec => []CutIsClosed
THEOREM HSpec => []CutIsClosedIffRule
==============================================================================
