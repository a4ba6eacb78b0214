---- MODULE StaysBlockedAfterTimeout ----
(***************************************************************************)
(* Mutant: an input whose barrier has come stays blocked when all others   *)
(* have come too (A6).                                                     *)
(* Overrides Blocked of TimeoutBarriers.                                   *)
(***************************************************************************)
EXTENDS TimeoutBarriers

StaysBlockedAfterTimeoutBlocked(c) == c \in arrived
====
