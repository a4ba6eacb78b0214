-------------------------- MODULE RestoreConcluded --------------------------
(***************************************************************************)
(* Mutant: once the collector has concluded, a process may go back to the  *)
(* state that it recorded: the collection does not only watch (E19).       *)
(* Overrides MayReport and SendReport of Collection.                       *)
(***************************************************************************)
EXTENDS Collection

RestoreConcludedMayReport(p) == LocallyComplete(p) /\ (p \in Reported => verdict # "pending")

RestoreConcludedSendReport(p) ==
  IF p \in Reported
  THEN /\ state' = [state EXCEPT ![p] = recState[p]]
       /\ UNCHANGED <<topo, chan, record, ghosts, reports>>
  ELSE /\ reports' = reports @@ (p :> [state    |-> recState[p],
                                       channels |-> [c \in InputsOf[topo][p] |-> recChan[c]]])
       /\ UNCHANGED vars
==============================================================================
