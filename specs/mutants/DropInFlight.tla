---- MODULE DropInFlight ----
(***************************************************************************)
(* Mutant: the records in flight are not restored (A5, A10).               *)
(* Overrides RestoredLog of Checkpoints.                                   *)
(***************************************************************************)
EXTENDS Checkpoints

DropInFlightRestoredLog(c) == << >>
====
