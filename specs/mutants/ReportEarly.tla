---- MODULE ReportEarly ----
(***************************************************************************)
(* Mutant: a process reports as soon as it has recorded its state, while   *)
(* its channels are still being recorded (E15).                            *)
(* Overrides MayReport of Collection.                                      *)
(***************************************************************************)
EXTENDS Collection

ReportEarlyMayReport(p) == p \notin Reported /\ p \in Red
====
