---------------------------- MODULE RecordAfterRed ---------------------------
(***************************************************************************)
(* Mutant: a machine that turns red in a red action records the state after*)
(* it (E6, E17).                                                           *)
(* Overrides StateRecorded of WhiteRed.                                    *)
(***************************************************************************)
EXTENDS WhiteRed

RecordAfterRedStateRecorded(action, before, after) == after
====
