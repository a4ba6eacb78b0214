---- MODULE SourceRecordsAgain ----
(***************************************************************************)
(* Mutant: a source records again when it is asked again (E1).             *)
(* Overrides MayRecord of Barriers.                                        *)
(***************************************************************************)
EXTENDS Barriers

SourceRecordsAgainMayRecord(p) == TRUE
====
