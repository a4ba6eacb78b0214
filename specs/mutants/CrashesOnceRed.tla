--------------------------- MODULE CrashesOnceRed ---------------------------
(***************************************************************************)
(* Mutant: a process that is no initiator crashes as it has recorded, and  *)
(* does nothing any more: its part of the snapshot never ends (E15, E18).  *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

CrashesOnceRedAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ p \in Red => p \in InitiatorsOf[topo]
      /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p]) ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)
=============================================================================
