---------------------------- MODULE ForgetNumbers ----------------------------
(***************************************************************************)
(* Mutant: after a crash the coordinator goes on from the number of the    *)
(* last complete checkpoint (A8).                                          *)
(* Overrides Recall of Checkpoints.                                        *)
(***************************************************************************)
EXTENDS Checkpoints

ForgetNumbersRecall ==
  /\ UNCHANGED completed
  /\ triggered' = Highest(completed)
  /\ aborted'   = aborted \cup (1..triggered \ completed)
  /\ acks'      = [n \in Id |-> IF n = Highest(completed) THEN acks[n] ELSE << >>]
====
