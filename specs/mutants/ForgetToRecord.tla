---- MODULE ForgetToRecord ----
(***************************************************************************)
(* Mutant: only sources record (E13).                                      *)
(* Overrides Obeys of Barriers.                                            *)
(***************************************************************************)
EXTENDS Barriers

ForgetToRecordObeys(says) == FALSE
====
