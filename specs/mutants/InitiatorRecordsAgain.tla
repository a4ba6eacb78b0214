---- MODULE InitiatorRecordsAgain ----
(***************************************************************************)
(* Mutant: an initiator records again as it accepts a marker (E16).        *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

InitiatorRecordsAgainAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns   == TurnsRed(p, acceptsMarker)
      records == turns \/ (acceptsMarker /\ p \in InitiatorsOf[topo])
  IN  /\ recState' = IF records THEN (p :> IF action = "white" THEN s ELSE state[p]) @@ recState
                                ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)
====
