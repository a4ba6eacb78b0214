---- MODULE NoGuard ----
(***************************************************************************)
(* Mutant: a white machine accepts red messages too (E4).                  *)
(* Overrides MayTake of WhiteRed.                                          *)
(***************************************************************************)
EXTENDS WhiteRed

NoGuardMayTake(action, e) == TRUE
====
