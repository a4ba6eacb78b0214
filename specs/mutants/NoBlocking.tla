---- MODULE NoBlocking ----
(***************************************************************************)
(* Mutant: no input is blocked, so that what comes behind a barrier gets   *)
(* into the state of before (A1, A11).                                     *)
(* Overrides Blocked of AlignedBarriers.                                   *)
(***************************************************************************)
EXTENDS AlignedBarriers

NoBlockingBlocked(c) == FALSE
====
