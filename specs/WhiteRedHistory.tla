--------------------------- MODULE WhiteRedHistory ---------------------------
(***************************************************************************)
(* `WhiteRed' with its history, for the claims that speak of all actions   *)
(* of a behaviour: E2 (a machine is white, and then red), E5 (no           *)
(* clairvoyance) and the second half of E7 (S1 is reachable from SSS, by   *)
(* the red actions in their order).                                        *)
(*                                                                         *)
(* Histories grow for ever, so the number of sends is bounded here.  What  *)
(* a channel can hold is not: see mutants/CappedChannel.                   *)
(***************************************************************************)
EXTENDS WhiteRed

CONSTANT MaxSends  \* how many messages may be sent on each channel

VARIABLES
  sent,        \* [channel -> all coloured messages ever sent on it]
  accepted,    \* [channel -> all coloured messages ever accepted from it]
  history      \* all actions of machines, in order: records of
               \* by (process), colour, action, at (its channel), msg

hvars == <<vars, sent, accepted, history>>

HInit ==
  /\ Init
  /\ sent     = [c \in ChannelsOf[topo] |-> << >>]
  /\ accepted = [c \in ChannelsOf[topo] |-> << >>]
  /\ history  = << >>

Entry(p, action, c, m) == [by |-> p, colour |-> Colour(p), action |-> action, at |-> c, msg |-> m]

HSend(c) ==
  /\ Send(c)
  /\ Len(sent[c]) < MaxSends
  /\ LET e == chan'[c][Len(chan'[c])] IN
     /\ sent'    = [sent EXCEPT ![c] = Append(@, e)]
     /\ history' = Append(history, Entry(Source(c), "Send", c, e.msg))
  /\ UNCHANGED accepted

HAccept(c) ==
  /\ Accept(c)
  /\ LET i == CHOOSE i \in DOMAIN chan[c] : chan'[c] = Without(chan[c], i)
         e == chan[c][i]
     IN  /\ accepted' = [accepted EXCEPT ![c] = Append(@, e)]
         /\ history'  = Append(history, Entry(Target(c), "Accept", c, e.msg))
  /\ UNCHANGED sent

HTurnRed(S) == TurnRed(S) /\ UNCHANGED <<sent, accepted, history>>

HNext ==
  \/ \E c \in Channel : HAccept(c)
  \/ \E c \in Channel : HSend(c)
  \/ \E S \in SUBSET Process : HTurnRed(S)

HSpec == HInit /\ [][HNext]_hvars

------------------------------------------------------------------------------

(* A machine is white, and then red: an action that comes after a red       *)
(* one of the same machine is red.                                          *)
WhiteThenRed ==                                                                      \* E2
  \A i, j \in DOMAIN history :
    i < j /\ history[i].by = history[j].by /\ history[i].colour = "red" => history[j].colour = "red"

(* What was accepted was sent before, and in the order of sending.          *)
NoClairvoyance ==                                                                    \* E5
  \A c \in ChannelsOf[topo] : /\ Len(accepted[c]) <= Len(sent[c])
                              /\ accepted[c] = SubSeq(sent[c], 1, Len(accepted[c]))

RedActions == SelectSeq(history, LAMBDA a : a.colour = "red")

(* The global state <<states, channels>> after the actions; << >> if one of *)
(* them cannot be taken.                                                    *)
RECURSIVE Replayed(_, _, _)
Replayed(actions, states, channels) ==
  IF actions = << >> THEN <<states, channels>>
  ELSE LET a == Head(actions)
           q == channels[a.at]
       IN  IF a.action = "Send"
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

(* From SSS the red actions, in their order, lead to S1.                    *)
EndReachable ==                                                                      \* E7
  Complete => Replayed(RedActions, recState, recChan) = <<state, [c \in DOMAIN chan |-> Plain(chan[c])]>>

------------------------------------------------------------------------------

THEOREM HSpec => []WhiteThenRed
THEOREM HSpec => []NoClairvoyance
THEOREM HSpec => []EndReachable
==============================================================================
