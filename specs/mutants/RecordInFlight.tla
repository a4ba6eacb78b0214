---- MODULE RecordInFlight ----
(***************************************************************************)
(* Mutant: the controller does not wait for what is in flight: it lets all *)
(* record as soon as the input is paused (E4, E6).                         *)
(* Overrides AtRest of StopTheInput.                                       *)
(***************************************************************************)
EXTENDS StopTheInput

RecordInFlightAtRest == paused = Sources
====
