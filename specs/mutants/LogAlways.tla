---- MODULE LogAlways ----
(***************************************************************************)
(* Mutant: everything accepted is recorded as in flight (E6).              *)
(* Overrides InFlight of Barriers.                                         *)
(***************************************************************************)
EXTENDS Barriers

LogAlwaysInFlight(says, m) == <<m>>
====
