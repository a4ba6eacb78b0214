-------------------------- MODULE BeginsWithMessage -------------------------
(***************************************************************************)
(* Mutant: it begins with item 1 in each channel, which nobody has sent    *)
(* (E5, E7).                                                               *)
(* Overrides Init of WhiteRed.                                             *)
(***************************************************************************)
EXTENDS WhiteRed

BeginsWithMessageInit ==
  /\ topo     \in DOMAIN Graphs
  /\ state    \in InitialStates(Graphs[topo])
  /\ chan     = [c \in ChannelsOf[topo] |-> <<[msg |-> 1, colour |-> "white"]>>]
  /\ recState = << >>
  /\ recChan  = [c \in ChannelsOf[topo] |-> << >>]
==============================================================================
