---- MODULE Mutex ----
(* Two processes exclude each other, as Peterson's algorithm does it. *)
EXTENDS Naturals
VARIABLES pc, flag, turn
vars == <<pc, flag, turn>>

Process == {0, 1}
Other(p) == 1 - p

TypeOK ==
  /\ pc \in [Process -> {"idle", "asks", "waits", "inside"}]
  /\ flag \in [Process -> BOOLEAN]
  /\ turn \in Process

Init ==
  /\ pc = [p \in Process |-> "idle"]
  /\ flag = [p \in Process |-> FALSE]
  /\ turn = 0

Ask(p) ==
  /\ pc[p] = "idle"
  /\ pc' = [pc EXCEPT ![p] = "asks"]
  /\ flag' = [flag EXCEPT ![p] = TRUE]
  /\ UNCHANGED turn

Yield(p) ==
  /\ pc[p] = "asks"
  /\ pc' = [pc EXCEPT ![p] = "waits"]
  /\ turn' = Other(p)
  /\ UNCHANGED flag

Enter(p) ==
  /\ pc[p] = "waits"
  /\ ~flag[Other(p)] \/ turn = p
  /\ pc' = [pc EXCEPT ![p] = "inside"]
  /\ UNCHANGED <<flag, turn>>

Leave(p) ==
  /\ pc[p] = "inside"
  /\ pc' = [pc EXCEPT ![p] = "idle"]
  /\ flag' = [flag EXCEPT ![p] = FALSE]
  /\ UNCHANGED turn

Step(p) == Ask(p) \/ Yield(p) \/ Enter(p) \/ Leave(p)
Next == \E p \in Process : Step(p)
Spec == Init /\ [][Next]_vars /\ \A p \in Process : WF_vars(Yield(p) \/ Enter(p) \/ Leave(p))

Exclusion == ~(pc[0] = "inside" /\ pc[1] = "inside")
Flagged == \A p \in Process : pc[p] # "idle" => flag[p]
Enters == \A p \in Process : pc[p] = "asks" ~> pc[p] = "inside"
====
