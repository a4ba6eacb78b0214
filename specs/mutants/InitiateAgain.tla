---------------------------- MODULE InitiateAgain ----------------------------
(***************************************************************************)
(* Mutant: an initiator whose part is complete may initiate again (E1,     *)
(* E11).  In a ring this shows only after the snapshot is complete.        *)
(* Overrides MayRecord of ChandyLamport.                                   *)
(***************************************************************************)
EXTENDS ChandyLamport

InitiateAgainMayRecord(p) == p \notin Red \/ LocallyComplete(p)
====
