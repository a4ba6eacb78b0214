---------------------------- MODULE BeginsInMotion --------------------------
(***************************************************************************)
(* Mutant: the world begins in motion, with item 1 in each channel, which  *)
(* nobody has sent (E5, E7).                                               *)
(* Overrides Init of StopTheWorld.                                         *)
(***************************************************************************)
EXTENDS StopTheWorld

BeginsInMotionInit ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> <<[msg |-> 1, colour |-> "white"]>>]
  /\ recState   = << >>
  /\ recChan    = [c \in ChannelsOf[topo] |-> << >>]
  /\ paused     = {}
  /\ whiteInRed = [c \in ChannelsOf[topo] |-> << >>]
  /\ redInWhite = [c \in ChannelsOf[topo] |-> << >>]
==============================================================================
