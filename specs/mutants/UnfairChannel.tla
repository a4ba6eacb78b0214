---- MODULE UnfairChannel ----
(***************************************************************************)
(* Mutant: one channel need not deliver: a message may stay in it forever  *)
(* (E3, E14, E18).                                                         *)
(* Overrides FairChannels of Application.                                  *)
(***************************************************************************)
EXTENDS Application

UnfairChannelFairChannels == Channel \ {Least(Channel)}
====
