---- MODULE FirstOverAgain ----
(***************************************************************************)
(* Mutant: the recording in one instant has a channel's first message over *)
(* again in the place of each further one: right in length only (E6).      *)
(* Overrides RecordAsFound of StopTheWorld.                                *)
(***************************************************************************)
EXTENDS StopTheWorld

FirstOverAgainRecordAsFound ==
  /\ recState' = state
  /\ recChan'  = [c \in DOMAIN chan |-> [i \in DOMAIN chan[c] |-> Head(chan[c]).msg]]
====
