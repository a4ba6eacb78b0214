---- MODULE UnblockAtTimeout ----
(***************************************************************************)
(* Mutant: a timeout unblocks the inputs whose barrier has come, and what  *)
(* they bring is recorded as in flight too (A6).                           *)
(* Overrides Blocked and Logs of TimeoutBarriers.                          *)
(***************************************************************************)
EXTENDS TimeoutBarriers

UnblockAtTimeoutBlocked(c) == c \in arrived /\ Target(c) \notin Red

UnblockAtTimeoutLogs(c) == Target(c) \in Red /\ ~AllArrived(Target(c))
====
