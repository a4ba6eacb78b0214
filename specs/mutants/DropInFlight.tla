---- MODULE DropInFlight ----
(***************************************************************************)
(* Mutant: the records in flight are not restored (A5, A10).               *)
(* Overrides Replayed of Checkpoints.                                      *)
(***************************************************************************)
EXTENDS Checkpoints

DropInFlightReplayed(log) == << >>
====
