------------------------- MODULE SubsumedIsDropped --------------------------
(***************************************************************************)
(* Mutant: a sink commits what it staged for the complete checkpoint       *)
(* alone, and throws away what it staged for those that it subsumes (A3).  *)
(* Overrides Committable of Checkpoints.                                   *)
(***************************************************************************)
EXTENDS Checkpoints

SubsumedIsDroppedCommittable(p, n) == DOMAIN staged[p] \cap {n}
====
