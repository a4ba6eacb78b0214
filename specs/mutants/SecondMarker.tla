---- MODULE SecondMarker ----
(***************************************************************************)
(* Mutant: a process turns red as it accepts its second marker (E13).      *)
(* Overrides TurnsRed of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

SecondMarkerTurnsRed(p, acceptsMarker) == p \notin Red /\ acceptsMarker /\ InputsOf[topo][p] \cap closed # {}
====
