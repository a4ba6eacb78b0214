------------------------------- MODULE Digraph -------------------------------
(***************************************************************************)
(* Directed graphs, as the topologies of a distributed computation.        *)
(*                                                                         *)
(* A graph is a record                                                     *)
(*   processes    their number n; the processes are 1..n                   *)
(*   channels     a set of pairs <<source, target>>; self-loops are legal  *)
(*   initiators   the processes that may start a snapshot                  *)
(*                                                                         *)
(* This module knows nothing of computations or snapshots.                 *)
(***************************************************************************)
EXTENDS Naturals

Proc(g)   == 1 .. g.processes
Source(c) == c[1]
Target(c) == c[2]

Inputs(g, p)  == {c \in g.channels : Target(c) = p}
Outputs(g, p) == {c \in g.channels : Source(c) = p}

IsDigraph(g) ==
  /\ g.processes \in Nat \ {0}
  /\ g.channels \subseteq Proc(g) \X Proc(g)
  /\ g.initiators \subseteq Proc(g)

------------------------------------------------------------------------------

(* The processes that the set S of processes reaches, S included. *)
RECURSIVE Reach(_, _)
Reach(g, S) ==
  LET more == {Target(c) : c \in {d \in g.channels : Source(d) \in S}}
  IN  IF more \subseteq S THEN S ELSE Reach(g, S \cup more)

StronglyConnected(g) == \A p \in Proc(g) : Reach(g, {p}) = Proc(g)

(* No process reaches itself along a channel. *)
Acyclic(g) == \A p \in Proc(g) : p \notin Reach(g, {Target(c) : c \in Outputs(g, p)})

(* EWD864a's condition for everyone to turn red: E14. *)
EveryoneReachable(g) == Reach(g, g.initiators) = Proc(g)
==============================================================================
