------------------------------ MODULE Commuting ------------------------------
(***************************************************************************)
(* Why the colours can be sorted: two adjacent actions of different        *)
(* machines can be swapped, unless the first sends the very message that   *)
(* the second accepts (E8).                                                *)
(*                                                                         *)
(* It differs from `Computation' in that an action is a value and its      *)
(* effect a function on global states, so that an invariant can take two   *)
(* actions in either order.                                                *)
(*                                                                         *)
(*   E. W. Dijkstra, EWD864a, 1983.                                        *)
(***************************************************************************)
EXTENDS Computation

(* A global state as a value, and the actions possible in it.               *)
Global == [state |-> state, chan |-> chan]

Sends(g) ==
  UNION { { [kind |-> "Send", by |-> Source(c), at |-> c, msg |-> m] :
            m \in Sendable(Source(c), c, g.state[Source(c)]) } :
          c \in {d \in DOMAIN g.chan : Room(g.chan[d])} }

Accepts(g) ==
  { [kind |-> "Accept", by |-> Target(c), at |-> c, msg |-> Head(g.chan[c])] :
    c \in {d \in DOMAIN g.chan : /\ g.chan[d] # << >>
                                 /\ Acceptable(Target(d), d, g.state[Target(d)], Head(g.chan[d]))} }

Changes(g) ==
  UNION { { [kind |-> "Internal", by |-> p, to |-> s] : s \in Internals(p, g.state[p]) } : p \in DOMAIN g.state }

(* What touches two channels or more: p accepts from each of A, and then     *)
(* sends on each of B.                                                      *)
ExchangesOf(g, p, A, B) ==
  LET taken == [c \in A |-> Head(g.chan[c])] IN
  { [kind |-> "Exchange", by |-> p, taken |-> taken, sent |-> r[2], to |-> r[1]] :
    r \in AfterSends(p, AfterAccepts(p, g.state[p], taken), B) }

Exchanges(g) ==
  IF Granularity # "action" THEN {}
  ELSE UNION { UNION { UNION { ExchangesOf(g, p, A, B) :
                               B \in {X \in SUBSET {c \in OutputsOf[topo][p] : Room(g.chan[c])} :
                                       Cardinality(A) + Cardinality(X) >= 2} } :
                       A \in Acceptables(p, g.state[p], [c \in InputsOf[topo][p] |-> g.chan[c]]) } :
               p \in DOMAIN g.state }

Enabled(g) == Sends(g) \cup Accepts(g) \cup Changes(g) \cup Exchanges(g)

(* The global state after action a in g.                                    *)
Do(g, a) ==
  CASE a.kind = "Send"     -> [state |-> [g.state EXCEPT ![a.by] = AfterSend(a.by, a.at, @, a.msg)],
                               chan  |-> [g.chan EXCEPT ![a.at] = Append(@, a.msg)]]
    [] a.kind = "Accept"   -> [state |-> [g.state EXCEPT ![a.by] = AfterAccept(a.by, a.at, @, a.msg)],
                               chan  |-> [g.chan EXCEPT ![a.at] = Tail(@)]]
    [] a.kind = "Internal" -> [g EXCEPT !.state[a.by] = a.to]
    [] a.kind = "Exchange" -> [state |-> [g.state EXCEPT ![a.by] = a.to],
                               chan  |-> Exchanged(g.chan, DOMAIN a.taken, a.sent)]

(* The channels that an action sends on, and those it accepts from.         *)
SendsOn(a)     == CASE a.kind = "Send"   -> {a.at} [] a.kind = "Exchange" -> DOMAIN a.sent  [] OTHER -> {}
AcceptsFrom(a) == CASE a.kind = "Accept" -> {a.at} [] a.kind = "Exchange" -> DOMAIN a.taken [] OTHER -> {}

(* Does b, coming after a in g, accept what a sends?  It does if nothing    *)
(* else is in the channel.                                                  *)
Feeds(g, a, b) == \E c \in SendsOn(a) \cap AcceptsFrom(b) : g.chan[c] = << >>

------------------------------------------------------------------------------

(* The functions are the actions: what the next-state relation does is      *)
(* what they do.                                                            *)
ActionsAreFunctions == [][\E a \in Enabled(Global) : Global' = Do(Global, a)]_vars   \* E8

(* a before b, by different machines, can be b before a, with the same      *)
(* outcome.                                                                 *)
Commute ==                                                                           \* E8
  \A a \in Enabled(Global) :
    LET g == Do(Global, a) IN
    \A b \in Enabled(g) :
      a.by # b.by /\ ~Feeds(Global, a, b) =>
        /\ b \in Enabled(Global)
        /\ a \in Enabled(Do(Global, b))
        /\ Do(Do(Global, b), a) = Do(g, b)

------------------------------------------------------------------------------

THEOREM Spec => ActionsAreFunctions
THEOREM Spec => []Commute
==============================================================================
