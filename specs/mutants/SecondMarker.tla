---- MODULE SecondMarker ----
(***************************************************************************)
(* Mutant: a process turns red as it accepts its second marker (E13).      *)
(* Overrides TurnsRed of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

SecondMarkerTurnsRed(p, acceptsMarker) == acceptsMarker /\ InputsOf[topo][p] \cap closed # {}
====
