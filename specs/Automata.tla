------------------------------ MODULE Automata -------------------------------
(***************************************************************************)
(* The application whose processes are given by tables of transitions, as  *)
(* the worked examples of the literature are.                              *)
(*                                                                         *)
(* Beginning[t] is [process -> local state] and Table[t] is                *)
(* [process -> set of records source, action, channel, msg, target], for   *)
(* each graph t; action is "Send", "Accept" or "Internal".                 *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Beginning,  \* the initial local states, per graph
  Table       \* the transitions, per process of the one graph that is checked

AutomataInitialStates(g) == {Beginning}

Lines(p, s, action, c) ==
  {l \in Table[p] : l.source = s /\ l.action = action /\ l.channel = c}

Target_(lines, m) == (CHOOSE l \in lines : l.msg = m).target

AutomataSendable(p, c, s)       == {l.msg : l \in Lines(p, s, "Send", c)}
AutomataAfterSend(p, c, s, m)   == Target_(Lines(p, s, "Send", c), m)
AutomataAcceptable(p, c, s, m)  == \E l \in Lines(p, s, "Accept", c) : l.msg = m
AutomataAfterAccept(p, c, s, m) == Target_(Lines(p, s, "Accept", c), m)
AutomataInternals(p, s)         == {l.target : l \in Lines(p, s, "Internal", << >>)}

(* Tables know no law. *)
AutomataConserved(states, channels) == TRUE
==============================================================================
