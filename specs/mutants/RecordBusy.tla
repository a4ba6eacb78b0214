---- MODULE RecordBusy ----
(***************************************************************************)
(* Mutant: the controller looks at the channels alone: it lets all record  *)
(* although a process still has a record to pass on (E4, E6).              *)
(* Overrides AtRest of StopTheInput.                                       *)
(***************************************************************************)
EXTENDS StopTheInput

RecordBusyAtRest == paused = Sources /\ Drained
====
