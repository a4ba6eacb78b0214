-------------------------- MODULE OlderNotSubsumed ---------------------------
(***************************************************************************)
(* Mutant: a newer complete checkpoint leaves the older ones pending (A8). *)
(* Overrides Account of Checkpoints.                                       *)
(***************************************************************************)
EXTENDS Checkpoints

OlderNotSubsumedAccount(ack, off, over) ==
  LET whole  == completed \cup {n \in 1..triggered \ off : Acknowledged(DOMAIN ack[n] \cup over)}
      newest == Highest(whole)
      final  == [p \in over |-> [state |-> state[p], log |-> [c \in InputsOf[topo][p] |-> << >>]]]
  IN  /\ completed' = whole
      /\ aborted'   = off
      /\ acks'      = [n \in Id |->
                         IF n \in off \/ n < newest THEN << >>
                         ELSE IF n \in whole \ completed
                         THEN ack[n] @@ final
                         ELSE ack[n]]
      /\ ended'     = over
====
