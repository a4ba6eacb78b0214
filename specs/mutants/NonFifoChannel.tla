---- MODULE NonFifoChannel ----
(***************************************************************************)
(* Mutant: a channel is a bag.  Any element may be accepted next, so that a*)
(* red message can overtake the marker (E4, E5).                           *)
(* Overrides Positions of Application.                                     *)
(***************************************************************************)
EXTENDS Application

NonFifoChannelPositions(q) == DOMAIN q
====
