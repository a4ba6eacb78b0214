--------------------------- MODULE BeginsInFlight ----------------------------
(***************************************************************************)
(* Mutant: it begins with item 1 in each channel, which nobody has sent    *)
(* (E5, E7).                                                               *)
(* Overrides Init of Snapshots.                                            *)
(***************************************************************************)
EXTENDS Snapshots

BeginsInFlightInit ==
  /\ topo       \in DOMAIN Graphs
  /\ state      \in InitialStates(Graphs[topo])
  /\ chan       = [c \in ChannelsOf[topo] |-> <<[msg |-> 1, red |-> {}]>>]
  /\ recState   = [n \in IdsOf[topo] |-> << >>]
  /\ recChan    = Nothing
  /\ closed     = [n \in IdsOf[topo] |-> {}]
  /\ whiteInRed = Nothing
  /\ redInWhite = Nothing
==============================================================================
