----------------------------- MODULE OneIdAtATime -----------------------------
(***************************************************************************)
(* Mutant: a process takes no marker of a snapshot while its part of       *)
(* another one is under way; two that both wait do so forever (E22).       *)
(* Overrides Close of Snapshots.                                           *)
(***************************************************************************)
EXTENDS Snapshots

OneIdAtATimeClose(c, n) ==
  /\ \A m \in RedFor(Target(c)) \ {n} : LocallyComplete(Target(c), m)
  /\ closed' = [closed EXCEPT ![n] = @ \cup {c}]
===============================================================================
