--------------------------- MODULE GiveUpCompleted ---------------------------
(***************************************************************************)
(* Mutant: after a crash the coordinator gives up the complete checkpoints *)
(* too (A8).                                                               *)
(* Overrides Recall of Checkpoints.                                        *)
(***************************************************************************)
EXTENDS Checkpoints

GiveUpCompletedRecall ==
  /\ UNCHANGED <<triggered, completed>>
  /\ aborted' = aborted \cup 1..triggered
  /\ acks'    = [n \in Id |-> IF n = Highest(completed) THEN acks[n] ELSE << >>]
====
