------------------------ MODULE IdlesWhileRecording ------------------------
(***************************************************************************)
(* Mutant: a process that has recorded takes no internal action before its *)
(* part of the snapshot is complete (E22).                                 *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

IdlesWhileRecordingAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns == TurnsRed(p, acceptsMarker)
  IN  /\ p \in Red /\ DOMAIN body = {} /\ taken = chan => LocallyComplete(p)
      /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p]) ELSE recState
      /\ state' = [state EXCEPT ![p] = s]
      /\ Put(p, [c \in OutputsOf[topo][p] |->
                   Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)], taken)

============================================================================
