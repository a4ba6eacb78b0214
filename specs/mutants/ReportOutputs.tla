---- MODULE ReportOutputs ----
(***************************************************************************)
(* Mutant: a report has a process's outputs too, of which the process      *)
(* knows nothing, as empty (E19).                                          *)
(* Overrides SendReport of Collection.                                     *)
(***************************************************************************)
EXTENDS Collection

ReportOutputsSendReport(p) ==
  /\ reports' = reports @@ (p :> [state    |-> recState[p],
                                  channels |-> [c \in OutputsOf[topo][p] \cup InputsOf[topo][p] |->
                                                  IF Target(c) = p THEN recChan[c] ELSE << >>]])
  /\ UNCHANGED vars
====
