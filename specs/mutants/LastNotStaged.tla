--------------------------- MODULE LastNotStaged ----------------------------
(***************************************************************************)
(* Mutant: what a sink has put out at its end, behind the last barrier, is *)
(* never committed (A3).                                                   *)
(* Overrides StagedAtEnd of Checkpoints.                                   *)
(***************************************************************************)
EXTENDS Checkpoints

LastNotStagedStagedAtEnd(q, new, ack) == 0
====
