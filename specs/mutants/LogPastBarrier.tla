---- MODULE LogPastBarrier ----
(***************************************************************************)
(* Mutant: back edges are logged beyond their barrier (A10).               *)
(* Overrides Logs of CyclicBarriers.                                       *)
(***************************************************************************)
EXTENDS CyclicBarriers

LogPastBarrierLogs(c) == IsBack(c) /\ Target(c) \in Red
====
