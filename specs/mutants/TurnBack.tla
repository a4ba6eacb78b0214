---- MODULE TurnBack ----
(***************************************************************************)
(* Mutant: a red machine that is told once more to turn is white again (E1,*)
(* E2).                                                                    *)
(* Overrides Turn of WhiteRed.                                             *)
(***************************************************************************)
EXTENDS WhiteRed

TurnBackTurn(S, s) ==
  recState' = [p \in (Red \ S) \cup (S \ Red) |-> IF p \in S THEN s[p] ELSE recState[p]]
====
