----------------------------- MODULE TwoUnderWay ----------------------------
(***************************************************************************)
(* Mutant: a message may be accepted only if another one is under way; so  *)
(* a send can enable an acceptance of what others have sent (E8).          *)
(* Overrides Accepts of Commuting.                                         *)
(***************************************************************************)
EXTENDS Commuting

TwoUnderWayAccepts(g) ==
  { [kind |-> "Accept", by |-> Target(c), at |-> c, msg |-> Head(g.chan[c])] :
    c \in {d \in DOMAIN g.chan : /\ g.chan[d] # << >>
                                 /\ Len(g.chan[d]) > 1 \/ \E e \in DOMAIN g.chan \ {d} : g.chan[e] # << >>
                                 /\ Acceptable(Target(d), d, g.state[Target(d)], Head(g.chan[d]))} }
==============================================================================
