---- MODULE ForgetChannels ----
(***************************************************************************)
(* Mutant: the recording in one instant forgets the channels (E6).         *)
(* Overrides AsFound of StopTheWorld.                                      *)
(***************************************************************************)
EXTENDS StopTheWorld

ForgetChannelsAsFound(c) == << >>
====
