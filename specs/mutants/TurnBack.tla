---- MODULE TurnBack ----
(***************************************************************************)
(* Mutant: a red machine that is told once more to turn is white again (E1,*)
(* E2).                                                                    *)
(* Overrides MayTurn and Recorded of WhiteRed.                             *)
(***************************************************************************)
EXTENDS WhiteRed

TurnBackMayTurn(p) == TRUE

TurnBackRecorded(S, s) ==
  [p \in (Red \ S) \cup (S \ Red) |-> IF p \in S THEN s[p] ELSE recState[p]]
====
