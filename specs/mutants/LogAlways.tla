---- MODULE LogAlways ----
(***************************************************************************)
(* Mutant: everything accepted is recorded as in flight (E6).              *)
(* Overrides Log of Barriers.                                              *)
(***************************************************************************)
EXTENDS Barriers

LogAlwaysLog(c, logs, m) == recChan' = [recChan EXCEPT ![c] = Append(@, m)]
====
