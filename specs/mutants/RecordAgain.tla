---- MODULE RecordAgain ----
(***************************************************************************)
(* Mutant: a process records again at each further marker (E1).            *)
(* Overrides Recorded of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordAgainRecorded(p, turning, acceptsMarker, v) ==
  IF turning \/ acceptsMarker THEN (p :> v) @@ recState ELSE recState
====
