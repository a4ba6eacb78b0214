---- MODULE ForgetReportedChannels ----
(***************************************************************************)
(* Mutant: a report has the process's state and leaves out those of its    *)
(* channels, so that what was in transit is missing from SSS (E19).        *)
(* Overrides SendReport of Collection.                                     *)
(***************************************************************************)
EXTENDS Collection

ForgetReportedChannelsSendReport(p) ==
  /\ reports' = reports @@ (p :> [state |-> recState[p], channels |-> << >>])
  /\ UNCHANGED vars
====
