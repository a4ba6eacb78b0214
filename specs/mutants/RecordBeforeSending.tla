---- MODULE RecordBeforeSending ----
(***************************************************************************)
(* Mutant: an action that turns red records the state before it, and yet   *)
(* sends its messages ahead of the markers (E17).                          *)
(* Overrides StateRecorded of ChandyLamport.                               *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordBeforeSendingStateRecorded(action, s, t) == s
====
