---- MODULE RecordEarly ----
(***************************************************************************)
(* Mutant: a channel's recording begins before its machine is red (E6).    *)
(* Overrides Kept of WhiteRed.                                             *)
(***************************************************************************)
EXTENDS WhiteRed

RecordEarlyKept(action, e) == IF e.colour = "white" THEN <<e.msg>> ELSE << >>
====
