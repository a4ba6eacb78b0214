---- MODULE DropLog ----
(***************************************************************************)
(* Mutant: nothing is logged on back edges (A10).                          *)
(* Overrides Logs of CyclicBarriers.                                       *)
(***************************************************************************)
EXTENDS CyclicBarriers

DropLogLogs(c) == FALSE
====
