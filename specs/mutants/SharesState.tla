---------------------------- MODULE SharesState -----------------------------
(***************************************************************************)
(* Mutant: a later recording takes the state that an earlier one has       *)
(* recorded (E6).                                                          *)
(* Overrides Record of Snapshots.                                          *)
(***************************************************************************)
EXTENDS Snapshots

Earliest(p) == CHOOSE n \in RedFor(p) : \A m \in RedFor(p) : n[1] < m[1] \/ (n[1] = m[1] /\ n[2] <= m[2])

SharesStateRecord(p, n, taken) ==
  /\ recState' = [recState EXCEPT ![n] = @ @@ (p :> IF RedFor(p) = {} THEN state[p] ELSE recState[Earliest(p)][p])]
  /\ chan'     = [c \in DOMAIN taken |-> IF Source(c) = p THEN Append(taken[c], Marker(n)) ELSE taken[c]]
  /\ UNCHANGED recChan
==============================================================================
