---- MODULE UndirectedGraphs ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Relation
(* Graphs whose edges are sets of nodes, [node |-> N, edge |-> E]; written for this tool with the meaning that the names have in
   CommunityModules. *)
IsUndirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}
IsLoopFreeUndirectedGraph(G) == IsUndirectedGraph(G) /\ \A e \in G.edge : Cardinality(e) = 2
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # << >> /\ \A i \in 1 .. Len(p) - 1 : {p[i], p[i + 1]} \in G.edge}
SimplePath(G) == {p \in UNION {[1 .. n -> G.node] : n \in 1 .. Cardinality(G.node)} :
  /\ \A i, j \in DOMAIN p : p[i] = p[j] => i = j
  /\ \A i \in 1 .. Len(p) - 1 : {p[i], p[i + 1]} \in G.edge}
LOCAL Connections(G) == ReflexiveTransitiveClosure([m, n \in G.node |-> {m, n} \in G.edge], G.node)
AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ Connections(G)[m, n]
ConnectedComponents(G) == LET connected == Connections(G) IN {{n \in G.node : connected[m, n]} : m \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{s, t} : s, t \in S}]
==============================
