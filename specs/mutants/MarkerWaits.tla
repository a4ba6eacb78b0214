---------------------------- MODULE MarkerWaits ----------------------------
(***************************************************************************)
(* Mutant: a process takes a marker only when its other inputs are empty,  *)
(* and what is behind the marker waits as long (E22).                      *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

MarkerWaitsAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ acceptsMarker => Cardinality({c \in InputsOf[topo][p] : chan[c] # << >>}) = 1
      /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p]) ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)

============================================================================
