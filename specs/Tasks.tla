-------------------------------- MODULE Tasks --------------------------------
(***************************************************************************)
(* The application whose items are tasks: they move as in `Items', until a *)
(* process retires one, which then moves no more.  So, unlike `Items', it  *)
(* ends, and stable predicates become true in it.                          *)
(*                                                                         *)
(* To retire a task a process must hold Need of them at once.  One that    *)
(* holds some and not enough may decide to wait: it then sends none away   *)
(* until it can retire one.  If Need > 1 they may all wait forever.        *)
(*                                                                         *)
(* The last process is faulty: it may lose and duplicate tasks it holds.   *)
(*                                                                         *)
(* A local state is a tuple of                                             *)
(*   held        [task -> the number of copies held]                       *)
(*   retired     [task -> the number of copies retired here]               *)
(*   waiting     is the process waiting for more tasks?                    *)
(*   losses      how many tasks it may still lose                          *)
(*   duplicates  how many tasks it may still duplicate                     *)
(* A message is a task.                                                    *)
(***************************************************************************)
EXTENDS Items, Integers

CONSTANTS
  Need,       \* how many tasks a process must hold to retire one
  Losses,     \* how many tasks the last process may lose
  Duplicates  \* how many tasks the last process may duplicate

Held(s)           == s[1]
RetiredTasks(s)   == s[2]
IsWaiting(s)      == s[3]
LossesLeft(s)     == s[4]
DuplicatesLeft(s) == s[5]

Nothing == [i \in Item |-> 0]

TasksInitialStates(g) ==
  {[p \in 1..g.processes |->
      <<[i \in Item |-> IF i \in placed[p] THEN 1 ELSE 0], Nothing, FALSE,
        IF p = g.processes THEN Losses ELSE 0,
        IF p = g.processes THEN Duplicates ELSE 0>>] : placed \in ItemsInitialStates(g)}

HeldBy(s) == {i \in Item : Held(s)[i] > 0}

TasksSendable(p, c, s)       == IF IsWaiting(s) THEN {} ELSE HeldBy(s)
TasksAfterSend(p, c, s, m)   == [s EXCEPT ![1][m] = @ - 1]
TasksAcceptable(p, c, s, m)  == TRUE
TasksAfterAccept(p, c, s, m) == [s EXCEPT ![1][m] = @ + 1]

Retire(s, i)    == [s EXCEPT ![1][i] = @ - 1, ![2][i] = @ + 1, ![3] = FALSE]
Wait(s)         == [s EXCEPT ![3] = TRUE]
Lose(s, i)      == [s EXCEPT ![1][i] = @ - 1, ![4] = @ - 1]
Duplicate(s, i) == [s EXCEPT ![1][i] = @ + 1, ![5] = @ - 1]

TasksInternals(p, s) ==
  LET total == Total(Held(s)) IN
       (IF total >= Need THEN {Retire(s, i) : i \in HeldBy(s)} ELSE {})
  \cup (IF 0 < total /\ total < Need /\ ~IsWaiting(s) THEN {Wait(s)} ELSE {})
  \cup (IF LossesLeft(s) > 0 THEN {Lose(s, i) : i \in HeldBy(s)} ELSE {})
  \cup (IF DuplicatesLeft(s) > 0 THEN {Duplicate(s, i) : i \in HeldBy(s)} ELSE {})

(* How many copies of task i a global state has, retired ones included.     *)
Copies(i, states, channels) ==
    Total([p \in DOMAIN states |-> Held(states[p])[i] + RetiredTasks(states[p])[i]])
  + Total([c \in DOMAIN channels |-> Cardinality({k \in DOMAIN channels[c] : channels[c][k] = i})])

(* Every loss and every duplicate is accounted for.                         *)
TasksConserved(states, channels) ==
  LET lost   == Losses - Total([p \in DOMAIN states |-> LossesLeft(states[p])])
      doubled == Duplicates - Total([p \in DOMAIN states |-> DuplicatesLeft(states[p])])
  IN  /\ Total([i \in Item |-> Copies(i, states, channels)]) = Cardinality(Item) - lost + doubled
      /\ \A i \in Item : /\ Copies(i, states, channels) >= 1 - lost
                         /\ Copies(i, states, channels) <= 1 + doubled
==============================================================================
