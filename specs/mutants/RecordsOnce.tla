----------------------------- MODULE RecordsOnce -----------------------------
(***************************************************************************)
(* Mutant: ids are not told apart: who has recorded for one snapshot does  *)
(* not record for another one (E13).                                       *)
(* Overrides TurnsRed and Close of Snapshots.                              *)
(***************************************************************************)
EXTENDS Snapshots

RecordsOnceTurnsRed(p, n) == RedFor(p) = {}

RecordsOnceClose(c, n) ==
  closed' = [closed EXCEPT ![n] = IF Target(c) \in DOMAIN recState'[n] THEN @ \cup {c} ELSE @]
==============================================================================
