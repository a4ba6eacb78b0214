-------------------------- MODULE ForgetAllAtMarker -------------------------
(***************************************************************************)
(* Mutant: a red process that accepts a marker forgets what it recorded    *)
(* and that it has sent markers; an initiator then begins anew (E1, E3).   *)
(* Overrides Act of ChandyLamport.                                         *)
(***************************************************************************)
EXTENDS ChandyLamport

ForgetAllAtMarkerAct(p, action, acceptsMarker, s, body, taken) ==
  LET turns   == TurnsRed(p, acceptsMarker)
      forgets == acceptsMarker /\ p \in Red
      out     == [c \in OutputsOf[topo][p] |->
                    Emission(c, turns, action, IF c \in DOMAIN body THEN body[c] ELSE << >>)]
  IN  /\ recState' = IF turns THEN recState @@ (p :> IF action = "white" THEN s ELSE state[p])
                     ELSE IF forgets THEN [q \in Red \ {p} |-> recState[q]]
                     ELSE recState
      /\ state'   = [state EXCEPT ![p] = s]
      /\ chan'    = [c \in DOMAIN chan |-> IF Source(c) = p THEN taken[c] \o out[c] ELSE taken[c]]
      /\ markers' = [c \in DOMAIN chan |->
                       IF Source(c) # p THEN markers[c]
                       ELSE IF forgets THEN 0 ELSE markers[c] + Len(SelectSeq(out[c], IsMarker))]
==============================================================================
