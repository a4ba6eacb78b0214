----------------------- MODULE SecondCrashForgetsSinks -----------------------
(***************************************************************************)
(* Mutant: after a second crash the sinks begin from the beginning, and the*)
(* others from the last complete checkpoint (A2).                          *)
(* Overrides RestoredFrom of Checkpoints.                                  *)
(***************************************************************************)
EXTENDS Checkpoints

SecondCrashForgetsSinksRestoredFrom(p) == IF crashes > 0 /\ p \in Sinks THEN 0 ELSE Highest(completed)
====
