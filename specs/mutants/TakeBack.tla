------------------------------ MODULE TakeBack ------------------------------
(***************************************************************************)
(* Mutant: an initiator that has recorded, and is told once more, takes    *)
(* its record back (E1, E3).                                               *)
(* Overrides Initiate of ChandyLamport.                                    *)
(***************************************************************************)
EXTENDS ChandyLamport

TakeBackInitiate(p) ==
  /\ p \in ProcessesOf[topo]
  /\ MayInitiate(p)
  /\ IF MayRecord(p)
     THEN /\ recState' = (p :> state[p]) @@ recState
          /\ Put(p, [c \in OutputsOf[topo][p] |-> Emission(c, TRUE, "red", << >>)], chan)
     ELSE /\ recState' = [q \in Red \ {p} |-> recState[q]]
          /\ UNCHANGED <<chan, markers>>
  /\ UNCHANGED <<topo, state, recChan, closed, ghosts>>
==============================================================================
