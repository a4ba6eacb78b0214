---- MODULE MarkerPerMarker ----
(***************************************************************************)
(* Mutant: a process puts out markers for each marker that it accepts      *)
(* (E11).                                                                  *)
(* Overrides SendsMarkers of ChandyLamport.                                *)
(***************************************************************************)
EXTENDS ChandyLamport

MarkerPerMarkerSendsMarkers(p, turning, acceptsMarker) == turning \/ acceptsMarker
====
