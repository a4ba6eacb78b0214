---------------------------- MODULE LogBackwards -----------------------------
(***************************************************************************)
(* Mutant: what a barrier overtakes is logged in the wrong order, the last *)
(* record first (A5).                                                      *)
(* Overrides Logged of BarrierHandler.                                     *)
(***************************************************************************)
EXTENDS BarrierHandler

LogBackwardsLogged(pe, c, records) ==
  IF Logs(pe, c)
  THEN [pe EXCEPT !.log[c] = @ \o [i \in DOMAIN records |-> records[Len(records) + 1 - i]]]
  ELSE pe
====
