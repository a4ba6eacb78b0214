------------------------------ MODULE SkipFirst ------------------------------
(***************************************************************************)
(* Mutant: a source begins behind its first record, which nobody has       *)
(* emitted (A2).                                                           *)
(* Overrides Beginning of Checkpoints.                                     *)
(***************************************************************************)
EXTENDS Checkpoints

SkipFirstBeginning(t) ==
  LET s == CHOOSE s \in InitialStates(Graphs[t]) : TRUE
  IN  [p \in DOMAIN s |-> IF Offset(s[p]) = 0 /\ Records > 0 THEN [s[p] EXCEPT ![1] = 1] ELSE s[p]]
====
