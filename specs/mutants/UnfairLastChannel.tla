---- MODULE UnfairLastChannel ----
(***************************************************************************)
(* Mutant: the last of the channels need not deliver: a message may stay in*)
(* it forever (E3, E14, E18).                                              *)
(* Overrides FairChannels of Application.                                  *)
(***************************************************************************)
EXTENDS Application

UnfairLastChannelFairChannels ==
  {c \in Channel : \E d \in Channel : \/ Source(c) < Source(d)
                                      \/ Source(c) = Source(d) /\ Target(c) < Target(d)}
====
