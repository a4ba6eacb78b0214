----------------------------- MODULE ForgetCopy ------------------------------
(***************************************************************************)
(* Mutant: a task acknowledges the state that it has then, not the one     *)
(* that it recorded (A5, A6).                                              *)
(* Overrides Copy of Checkpoints.                                          *)
(***************************************************************************)
EXTENDS Checkpoints

ForgetCopyCopy(p, n) == state[p]
====
