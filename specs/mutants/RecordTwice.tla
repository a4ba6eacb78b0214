---- MODULE RecordTwice ----
(***************************************************************************)
(* Mutant: the recording in one instant has each channel's messages twice  *)
(* (E6).                                                                   *)
(* Overrides RecordAsFound of StopTheWorld.                                *)
(***************************************************************************)
EXTENDS StopTheWorld

RecordTwiceRecordAsFound ==
  /\ recState' = state
  /\ recChan'  = [c \in DOMAIN chan |-> Plain(chan[c]) \o Plain(chan[c])]
====
