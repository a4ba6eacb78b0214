---- MODULE ForgetCompleted ----
(***************************************************************************)
(* Mutant: the coordinator knows no complete checkpoints after a crash     *)
(* (A8).                                                                   *)
(* Overrides Recall of Checkpoints.                                        *)
(***************************************************************************)
EXTENDS Checkpoints

ForgetCompletedRecall ==
  /\ UNCHANGED triggered
  /\ completed' = {}
  /\ aborted'   = aborted \cup (1..triggered \ completed)
  /\ acks'      = [n \in Id |-> IF n = Highest(completed) THEN acks[n] ELSE << >>]
====
