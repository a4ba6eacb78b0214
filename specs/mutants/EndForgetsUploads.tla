------------------------- MODULE EndForgetsUploads --------------------------
(***************************************************************************)
(* Mutant: of a task at its end the state at its end counts, also for a    *)
(* checkpoint that it recorded before and that is not durable yet (A9).    *)
(* Overrides AtEnd of Checkpoints.                                         *)
(***************************************************************************)
EXTENDS Checkpoints

EndForgetsUploadsAtEnd(over, n) == over
====
