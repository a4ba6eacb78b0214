---- MODULE DiscardReported ----
(***************************************************************************)
(* Mutant: a process that has reported discards what it recorded of its    *)
(* channels: the collection interferes with the snapshot.                  *)
(* Overrides AfterReport of Collection.                                    *)
(***************************************************************************)
EXTENDS Collection

DiscardReportedAfterReport(p) ==
  /\ recChan' = [c \in DOMAIN recChan |-> IF Target(c) = p THEN << >> ELSE recChan[c]]
  /\ UNCHANGED <<app, recState, closed, markers, ghosts>>
====
