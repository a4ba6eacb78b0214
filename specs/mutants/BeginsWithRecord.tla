--------------------------- MODULE BeginsWithRecord -------------------------
(***************************************************************************)
(* Mutant: it begins with the first record of process 1 in each channel,   *)
(* which its source has not emitted (E7, A1).                              *)
(* Overrides Init of Barriers.                                             *)
(***************************************************************************)
EXTENDS Barriers

BeginsWithRecordInit ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> <<[msg |-> <<1, 1, 0>>, colour |-> "white"]>>]
  /\ recState   = << >>
  /\ recChan    = [c \in ChannelsOf[topo] |-> << >>]
  /\ arrived    = {}
  /\ whiteInRed = [c \in ChannelsOf[topo] |-> << >>]
  /\ redInWhite = [c \in ChannelsOf[topo] |-> << >>]
==============================================================================
