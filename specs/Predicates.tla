----------------------------- MODULE Predicates ------------------------------
(***************************************************************************)
(* Predicates of a global state, for `Collection', over the application    *)
(* `Tasks'.  A global state is given by                                    *)
(*   states    [process -> local state]                                    *)
(*   channels  [channel -> sequence of messages]                           *)
(* All but the last are stable: once true they stay true.                  *)
(*                                                                         *)
(*   K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1),      *)
(*   1985, section 1: "computation has terminated", "the system is         *)
(*   deadlocked", "all tokens in a token ring have disappeared".           *)
(***************************************************************************)
EXTENDS Application, Tasks

CONSTANT Enough  \* how many retired tasks `Retired' asks for

(* Is there something that p can do by itself in local state s?             *)
CanAct(p, s, channels) ==
  \/ Internals(p, s) # {}
  \/ \E c \in DOMAIN channels : Source(c) = p /\ Sendable(p, c, s) # {}

(* Is there something in transit that may be accepted?                      *)
CanAccept(c, states, channels) ==
  /\ channels[c] # << >>
  /\ Acceptable(Target(c), c, states[Target(c)], Head(channels[c]))

Quiet(states, channels) ==
  /\ \A p \in DOMAIN states : ~CanAct(p, states[p], channels)
  /\ \A c \in DOMAIN channels : ~CanAccept(c, states, channels)

SomebodyWaits(states) == \E p \in DOMAIN states : IsWaiting(states[p])

(* Everyone is passive, nobody waits for anything, and nothing is in        *)
(* transit.                                                                 *)
Terminated(states, channels) ==
  /\ Quiet(states, channels)
  /\ ~SomebodyWaits(states)
  /\ \A c \in DOMAIN channels : channels[c] = << >>

(* No one can act and nothing that is in transit can be accepted, and yet   *)
(* somebody waits.                                                          *)
Deadlocked(states, channels) == Quiet(states, channels) /\ SomebodyWaits(states)

(* A task is nowhere.                                                       *)
ItemLost(states, channels) == \E i \in Item : Copies(i, states, channels) = 0

(* A task is in two places, or in one place twice.                          *)
ItemDuplicated(states, channels) == \E i \in Item : Copies(i, states, channels) > 1

(* At least Enough tasks are retired.                                       *)
Retired(states, channels) ==
  Total([p \in DOMAIN states |-> Total(RetiredTasks(states[p]))]) >= Enough

(* Process 1 holds task 1.  It need not be so a moment later: SSS says      *)
(* nothing about it.                                                        *)
UnstableHolding(states, channels) == \E p \in DOMAIN states : p = 1 /\ Held(states[p])[1] > 0
==============================================================================
