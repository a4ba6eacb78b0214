---- MODULE NoBlockingInCycles ----
(***************************************************************************)
(* Mutant: no input is blocked, back edge or not (A10).                    *)
(* Overrides Blocked of CyclicBarriers.                                    *)
(***************************************************************************)
EXTENDS CyclicBarriers

NoBlockingInCyclesBlocked(c) == FALSE
====
