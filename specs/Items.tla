-------------------------------- MODULE Items --------------------------------
(***************************************************************************)
(* The application whose processes hold identified items and send them to  *)
(* one another: tokens, coins, letters.  Items are never made or lost, so  *)
(* the state space is finite although no channel has a capacity.           *)
(*                                                                         *)
(* A local state is the set of items held; a message is an item.           *)
(***************************************************************************)
EXTENDS Sums, Sequences, FiniteSets

CONSTANTS
  Item,      \* the items, 1..k
  Placement  \* where they begin: "initiator": with the least initiator;
             \* "spread": item i with process 1 + (i-1) % n; "any": every placement

ItemsAt(place, n) == [p \in 1..n |-> {i \in Item : place[i] = p}]

ItemsInitialStates(g) ==
  LET n     == g.processes
      first == IF g.initiators = {} THEN 1 ELSE CHOOSE p \in g.initiators : \A q \in g.initiators : p <= q
  IN  CASE Placement = "initiator" -> {ItemsAt([i \in Item |-> first], n)}
        [] Placement = "spread"    -> {ItemsAt([i \in Item |-> 1 + ((i - 1) % n)], n)}
        [] Placement = "any"       -> {ItemsAt(place, n) : place \in [Item -> 1..n]}

ItemsSendable(p, c, s)       == s
ItemsAfterSend(p, c, s, m)   == s \ {m}
ItemsAcceptable(p, c, s, m)  == TRUE
ItemsAfterAccept(p, c, s, m) == s \cup {m}
ItemsInternals(p, s)         == {}

(* How often item i occurs in a global state: once, or the state is wrong.  *)
Occurrences(i, states, channels) ==
    Cardinality({p \in DOMAIN states : i \in states[p]})
  + Total([c \in DOMAIN channels |-> Cardinality({k \in DOMAIN channels[c] : channels[c][k] = i})])

ItemsConserved(states, channels) == \A i \in Item : Occurrences(i, states, channels) = 1
==============================================================================
