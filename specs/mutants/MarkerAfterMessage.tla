---- MODULE MarkerAfterMessage ----
(***************************************************************************)
(* Mutant: the marker is sent after the next message (E4, E12).            *)
(* Overrides Emission of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

MarkerAfterMessageEmission(c, turns, action, body) ==
  IF ~turns /\ Source(c) \in Red /\ markers[c] = 0 /\ body # << >> THEN body \o <<Marker>> ELSE body
====
