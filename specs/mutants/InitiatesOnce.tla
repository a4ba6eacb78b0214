---------------------------- MODULE InitiatesOnce ----------------------------
(***************************************************************************)
(* Mutant: an initiator takes one snapshot, and no other one (E16, E18).   *)
(* Overrides MayInitiate of Snapshots.                                     *)
(***************************************************************************)
EXTENDS Snapshots

InitiatesOnceMayInitiate(p) == NextOf(p) \in IdsOf[topo] /\ NextOf(p)[2] = 1
==============================================================================
