---- MODULE FirstBarrierIsEnough ----
(***************************************************************************)
(* Mutant: a process records at its first barrier although alignment is    *)
(* skipped, so records are lost (A4).                                      *)
(* Overrides RecordsNow of AtLeastOnceBarriers.                            *)
(***************************************************************************)
EXTENDS AtLeastOnceBarriers

FirstBarrierIsEnoughRecordsNow(p, A) == A \cap InputsOf[topo][p] # {}
====
