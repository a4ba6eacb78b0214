---- MODULE IgnoreChannels ----
(***************************************************************************)
(* Mutant: the predicate is tested on the processes' states alone, as if   *)
(* nothing were in transit.  Then it is not stable (E19).                  *)
(* Overrides Holds of Collection.                                          *)
(***************************************************************************)
EXTENDS Collection

IgnoreChannelsHolds(global) == Predicate(global.states, [c \in DOMAIN global.channels |-> << >>])
====
