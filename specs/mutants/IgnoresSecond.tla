--------------------------- MODULE IgnoresSecond ----------------------------
(***************************************************************************)
(* Mutant: a process that records for one snapshot does not begin to record*)
(* for another one at its marker (E13).                                    *)
(* Overrides TurnsRed and Close of Snapshots.                              *)
(***************************************************************************)
EXTENDS Snapshots

IgnoresSecondTurnsRed(p, n) ==
  p \notin Red(n) /\ \A m \in RedFor(p) : LocallyComplete(p, m)

IgnoresSecondClose(c, n) ==
  closed' = [closed EXCEPT ![n] = IF Target(c) \in DOMAIN recState'[n] THEN @ \cup {c} ELSE @]
==============================================================================
