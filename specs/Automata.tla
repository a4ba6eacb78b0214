------------------------------ MODULE Automata -------------------------------
(***************************************************************************)
(* The application whose processes are given by tables of transitions, as  *)
(* the worked examples of the literature are.  A model with automata has   *)
(* one graph, whose processes they are.                                    *)
(*                                                                         *)
(* A table is a set of lines, records with the fields                      *)
(*   source, target   local states                                         *)
(*   action           "Send", "Accept" or "Internal"                       *)
(*   channel, msg     what is sent or accepted and where; << >> and ""     *)
(*                    for an internal action                               *)
(* All local states are of one kind, and so are all messages: TLC compares *)
(* strings with strings only.                                              *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Beginning,  \* [process -> its initial local state]
  Table       \* [process -> its set of lines]

AutomataInitialStates(g) == {Beginning}

Lines(p, s, action, c) ==
  {l \in Table[p] : l.action = action /\ l.channel = c /\ l.source = s}

TargetOf(lines, m) == (CHOOSE l \in lines : l.msg = m).target

AutomataSendable(p, c, s)       == {l.msg : l \in Lines(p, s, "Send", c)}
AutomataAfterSend(p, c, s, m)   == TargetOf(Lines(p, s, "Send", c), m)
AutomataAcceptable(p, c, s, m)  == \E l \in Lines(p, s, "Accept", c) : l.msg = m
AutomataAfterAccept(p, c, s, m) == TargetOf(Lines(p, s, "Accept", c), m)
AutomataInternals(p, s)         == {l.target : l \in Lines(p, s, "Internal", << >>)}

(* Tables know no law.                                                      *)
AutomataConserved(states, channels) == TRUE
==============================================================================
