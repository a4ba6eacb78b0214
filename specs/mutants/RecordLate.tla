------------------------------ MODULE RecordLate -----------------------------
(***************************************************************************)
(* Mutant: where inputs do not wait for one another, the state is recorded *)
(* at the last barrier and not at the first one (A5).                      *)
(* Overrides RecordsAtOnce of BarrierHandler.                              *)
(***************************************************************************)
EXTENDS BarrierHandler

RecordLateRecordsAtOnce(b) == FALSE
====
