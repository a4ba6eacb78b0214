-------------------------- MODULE AcknowledgeEarly ---------------------------
(***************************************************************************)
(* Mutant: a task acknowledges what it has recorded before it is durable   *)
(* (A8).                                                                   *)
(* Overrides AcknowledgesAtOnce of Checkpoints.                            *)
(***************************************************************************)
EXTENDS Checkpoints

AcknowledgeEarlyAcknowledgesAtOnce == TRUE
====
