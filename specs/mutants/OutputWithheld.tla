--------------------------- MODULE OutputWithheld ---------------------------
(***************************************************************************)
(* Mutant: a plain sink puts out no record while it waits for a            *)
(* checkpoint, and never does (A3).                                        *)
(* Overrides PutsOut of Checkpoints.                                       *)
(***************************************************************************)
EXTENDS Checkpoints

OutputWithheldPutsOut(p) == p \in Sinks /\ task[p].pending = << >>
====
