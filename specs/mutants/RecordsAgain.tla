---------------------------- MODULE RecordsAgain -----------------------------
(***************************************************************************)
(* Mutant: a process records at each marker of a snapshot, and puts out    *)
(* markers each time (E1, E11).                                            *)
(* Overrides TurnsRed and Record of Snapshots.                             *)
(***************************************************************************)
EXTENDS Snapshots

RecordsAgainTurnsRed(p, n) == TRUE

RecordsAgainRecord(p, n, taken) ==
  /\ recState' = [recState EXCEPT ![n] = (p :> state[p]) @@ @]
  /\ chan'     = [c \in DOMAIN taken |-> IF Source(c) = p THEN Append(taken[c], Marker(n)) ELSE taken[c]]
  /\ UNCHANGED recChan
==============================================================================
