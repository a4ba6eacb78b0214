---- MODULE WaitForBackEdges ----
(***************************************************************************)
(* Mutant: a process waits for the barriers of back edges too: Algorithm 1 *)
(* on a cycle (A10).                                                       *)
(* Overrides RecordsNow of CyclicBarriers.                                 *)
(***************************************************************************)
EXTENDS CyclicBarriers

WaitForBackEdgesRecordsNow(p, A) == InputsOf[topo][p] \subseteq A
====
