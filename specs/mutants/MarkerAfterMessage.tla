---- MODULE MarkerAfterMessage ----
(***************************************************************************)
(* Mutant: the marker is sent after the next message (E4, E12).            *)
(* Overrides Emission of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

MarkerAfterMessageEmission(c, turning, body) ==
  IF ~turning /\ Source(c) \in Red /\ markers[c] = 0 THEN body \o <<Marker>> ELSE body
====
