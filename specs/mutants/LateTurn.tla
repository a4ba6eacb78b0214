---- MODULE LateTurn ----
(***************************************************************************)
(* Mutant: a process turns red one action late: in the first action after  *)
(* the one that accepted a marker (E4, E13).                               *)
(* Overrides TurnsRed of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

LateTurnTurnsRed(p, acceptsMarker) == p \notin Red /\ InputsOf[topo][p] \cap closed # {}
====
