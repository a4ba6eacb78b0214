---- MODULE RecordAtFirstBarrier ----
(***************************************************************************)
(* Mutant: a process records at its first barrier, and nothing of what is  *)
(* still to come (A1).                                                     *)
(* Overrides RecordsNow of AlignedBarriers.                                *)
(***************************************************************************)
EXTENDS AlignedBarriers

RecordAtFirstBarrierRecordsNow(p, A) == A \cap InputsOf[topo][p] # {}
====
