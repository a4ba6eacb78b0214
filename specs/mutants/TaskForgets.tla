----------------------------- MODULE TaskForgets ----------------------------
(***************************************************************************)
(* Mutant: a process with outputs forgets its record with the next message *)
(* that it accepts, and is white again (E1, E2).                           *)
(* Overrides AcceptMessage of Barriers.                                    *)
(***************************************************************************)
EXTENDS Barriers

TaskForgetsAcceptMessage(c, logs) ==
  LET p == Target(c) IN
  \E i \in Positions(chan[c]) :
    LET e == chan[c][i] IN
    /\ IsMessage(e)
    /\ Acceptable(p, c, state[p], e.msg)
    /\ state'      = [state EXCEPT ![p] = AfterAccept(p, c, @, e.msg)]
    /\ chan'       = [chan EXCEPT ![c] = Without(@, i)]
    /\ recState'   = [q \in Red \ (IF OutputsOf[topo][p] = {} THEN {} ELSE {p}) |-> recState[q]]
    /\ Take(p, IF logs THEN {c} ELSE {}, c :> e)
    /\ UNCHANGED <<topo, arrived>>
==============================================================================
