---- MODULE DropChannelState ----
(***************************************************************************)
(* Mutant: channel states are dropped, so that a token in transit is lost  *)
(* (E6).                                                                   *)
(* Overrides Recording of ChandyLamport.                                   *)
(***************************************************************************)
EXTENDS ChandyLamport

DropChannelStateRecording(c, action) == FALSE
====
