---- MODULE StaysBlocked ----
(***************************************************************************)
(* Mutant: an input whose barrier has come stays blocked when its process  *)
(* has recorded (A11).                                                     *)
(* Overrides Blocked of AlignedBarriers.                                   *)
(***************************************************************************)
EXTENDS AlignedBarriers

StaysBlockedBlocked(c) == c \in arrived
====
