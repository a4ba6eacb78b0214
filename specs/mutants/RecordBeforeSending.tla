---- MODULE RecordBeforeSending ----
(***************************************************************************)
(* Mutant: an action that turns red records the state before it, and yet   *)
(* sends its messages ahead of the markers (E17).                          *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

RecordBeforeSendingAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ recState' = IF turns THEN recState @@ (p :> state[p]) ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)
====
