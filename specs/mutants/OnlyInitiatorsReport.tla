---- MODULE OnlyInitiatorsReport ----
(***************************************************************************)
(* Mutant: those who did not initiate the snapshot do not report, and the  *)
(* collector waits for them forever.                                       *)
(* Overrides MayReport of Collection.                                      *)
(***************************************************************************)
EXTENDS Collection

OnlyInitiatorsReportMayReport(p) ==
  p \notin Reported /\ LocallyComplete(p) /\ p \in InitiatorsOf[topo]
====
