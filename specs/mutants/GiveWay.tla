------------------------------- MODULE GiveWay ------------------------------
(***************************************************************************)
(* Mutant: a process does not send while a message of a process with a     *)
(* greater number is under way; so a send can disable another one (E8).    *)
(* Overrides Sends of Commuting.                                           *)
(***************************************************************************)
EXTENDS Commuting

GiveWaySends(g) ==
  UNION { { [kind |-> "Send", by |-> Source(c), at |-> c, msg |-> m] :
            m \in Sendable(Source(c), c, g.state[Source(c)]) } :
          c \in {d \in DOMAIN g.chan : /\ Room(g.chan[d])
                                       /\ \A e \in DOMAIN g.chan : Source(e) > Source(d) => g.chan[e] = << >>} }
==============================================================================
