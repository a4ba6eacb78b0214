---- MODULE MarkerPerMarker ----
(***************************************************************************)
(* Mutant: a process puts out markers for each marker that it accepts      *)
(* (E11).                                                                  *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

MarkerPerMarkerAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p])
                              ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, acceptsMarker, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)
====
