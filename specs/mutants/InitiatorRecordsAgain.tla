---- MODULE InitiatorRecordsAgain ----
(***************************************************************************)
(* Mutant: an initiator records again as it accepts a marker (E16).        *)
(* Overrides Recorded of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

InitiatorRecordsAgainRecorded(p, turning, acceptsMarker, v) ==
  IF turning \/ (acceptsMarker /\ p \in InitiatorsOf[topo]) THEN (p :> v) @@ recState ELSE recState
====
