---- MODULE ReportBackwards ----
(***************************************************************************)
(* Mutant: a report has the messages of each channel in reverse order (E5, *)
(* E19).                                                                   *)
(* Overrides SendReport of Collection.                                     *)
(***************************************************************************)
EXTENDS Collection

Backwards(q) == [i \in DOMAIN q |-> q[Len(q) + 1 - i]]

ReportBackwardsSendReport(p) ==
  /\ reports' = reports @@ (p :> [state    |-> recState[p],
                                  channels |-> [c \in InputsOf[topo][p] |-> Backwards(recChan[c])]])
  /\ UNCHANGED vars
====
