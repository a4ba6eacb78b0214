---- MODULE SwitchNotFollowed ----
(***************************************************************************)
(* Mutant: a barrier whose sender has switched is aligned all the same     *)
(* (A6).                                                                   *)
(* Overrides RecordsAtOnce of BarrierHandler.                              *)
(***************************************************************************)
EXTENDS BarrierHandler

SwitchNotFollowedRecordsAtOnce(b) == Mode = "unaligned" /\ AlignmentOf(b) = "unaligned"
====
