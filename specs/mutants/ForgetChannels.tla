---- MODULE ForgetChannels ----
(***************************************************************************)
(* Mutant: the recording in one instant forgets the channels (E6).         *)
(* Overrides RecordAsFound of StopTheWorld.                                *)
(***************************************************************************)
EXTENDS StopTheWorld

ForgetChannelsRecordAsFound ==
  /\ recState' = state
  /\ recChan'  = [c \in DOMAIN chan |-> << >>]
====
