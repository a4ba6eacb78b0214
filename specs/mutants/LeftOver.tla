---- MODULE LeftOver ----
(***************************************************************************)
(* Mutant: a process begins with what another snapshot has left of its     *)
(* inputs' recordings: item 1, as often as the input's source is numbered  *)
(* (E6, E7).                                                               *)
(* Overrides Init of ChandyLamport.                                        *)
(***************************************************************************)
EXTENDS ChandyLamport

LeftOverInit ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> << >>]
  /\ recState   = << >>
  /\ recChan    = [c \in ChannelsOf[topo] |-> [i \in 1..Source(c) |-> 1]]
  /\ closed     = {}
  /\ markers    = [c \in ChannelsOf[topo] |-> 0]
  /\ whiteInRed = [c \in ChannelsOf[topo] |-> << >>]
  /\ redInWhite = [c \in ChannelsOf[topo] |-> << >>]
====
