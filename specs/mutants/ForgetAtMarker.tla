---- MODULE ForgetAtMarker ----
(***************************************************************************)
(* Mutant: a red process that accepts a marker forgets what it recorded,   *)
(* and does not initiate again (E1, E3).                                   *)
(* Overrides Act and MayRecord of ChandyLamport.                           *)
(***************************************************************************)
EXTENDS ChandyLamport

ForgetAtMarkerMayRecord(p) == p \notin Red /\ InputsOf[topo][p] \cap closed = {}

ForgetAtMarkerAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p])
                     ELSE IF acceptsMarker THEN [q \in Red \ {p} |-> recState[q]]
                     ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)
====
