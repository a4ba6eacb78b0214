---- MODULE DiscardReported ----
(***************************************************************************)
(* Mutant: a process that has reported discards what it recorded of its    *)
(* channels: the collection interferes with the snapshot.                  *)
(* Overrides SendReport of Collection.                                     *)
(***************************************************************************)
EXTENDS Collection

DiscardReportedSendReport(p) ==
  /\ reports' = reports @@ (p :> [state    |-> recState[p],
                                  channels |-> [c \in InputsOf[topo][p] |-> recChan[c]]])
  /\ recChan' = [c \in DOMAIN recChan |-> IF Target(c) = p THEN << >> ELSE recChan[c]]
  /\ UNCHANGED <<app, recState, closed, markers, ghosts>>
====
