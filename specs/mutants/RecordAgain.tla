---- MODULE RecordAgain ----
(***************************************************************************)
(* Mutant: a process records again at each further marker (E1).            *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordAgainAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ recState' = IF acceptsMarker THEN (p :> IF action = "white" THEN s ELSE state[p]) @@ recState
                                      ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)
====
