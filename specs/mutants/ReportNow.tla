---- MODULE ReportNow ----
(***************************************************************************)
(* Mutant: a process reports its state as it is by then, and not the one   *)
(* that it recorded (E15, E19).                                            *)
(* Overrides SendReport of Collection.                                     *)
(***************************************************************************)
EXTENDS Collection

ReportNowSendReport(p) ==
  /\ reports' = reports @@ (p :> [state    |-> state[p],
                                  channels |-> [c \in InputsOf[topo][p] |-> recChan[c]]])
  /\ UNCHANGED vars
====
