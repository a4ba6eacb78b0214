---- MODULE StaysBlockedInCycles ----
(***************************************************************************)
(* Mutant: a back edge is blocked, and forever, when its barrier has come  *)
(* (A10).                                                                  *)
(* Overrides Blocked of CyclicBarriers.                                    *)
(***************************************************************************)
EXTENDS CyclicBarriers

StaysBlockedInCyclesBlocked(c) == c \in arrived /\ (IsBack(c) \/ Target(c) \notin Red)
====
