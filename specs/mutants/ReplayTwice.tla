---- MODULE ReplayTwice ----
(***************************************************************************)
(* Mutant: the records in flight are restored twice (A10).                 *)
(* Overrides RestoredLog of Checkpoints.                                   *)
(***************************************************************************)
EXTENDS Checkpoints

ReplayTwiceRestoredLog(c) ==
  LET n == RestoredFrom(Target(c))
  IN  IF n = 0 THEN << >> ELSE acks[n][Target(c)].log[c] \o acks[n][Target(c)].log[c]
====
