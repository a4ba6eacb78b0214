---- MODULE SwitchNotFollowed ----
(***************************************************************************)
(* Mutant: a barrier whose sender has switched is aligned all the same     *)
(* (A6).                                                                   *)
(* Overrides AlignmentOf of BarrierHandler.                                *)
(***************************************************************************)
EXTENDS BarrierHandler

SwitchNotFollowedAlignmentOf(b) == OfMode
====
