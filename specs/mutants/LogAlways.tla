---- MODULE LogAlways ----
(***************************************************************************)
(* Mutant: everything accepted is recorded as in flight (E6).              *)
(* Overrides Log of Barriers.                                              *)
(***************************************************************************)
EXTENDS Barriers

LogAlwaysLog(logged, head) ==
  recChan' = [c \in DOMAIN recChan |-> IF c \in DOMAIN head THEN Append(recChan[c], head[c].msg) ELSE recChan[c]]
====
