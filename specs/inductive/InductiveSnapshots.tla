-------------------------- MODULE InductiveSnapshots --------------------------
(***************************************************************************)
(* The inductive invariant of `Snapshots'.  `pyharness prove' proves for   *)
(* every graph, and any number of ids, that each step preserves it; its    *)
(* conjuncts have the same names there.  Here TLC begins in *every*        *)
(* type-correct state within a bound that satisfies it, reachable or not,  *)
(* and takes one step.                                                     *)
(*                                                                         *)
(* It differs from `Snapshots' in the initial states.                      *)
(***************************************************************************)
EXTENDS Snapshots, BoundedStates

(* What a process has sent that is white for n is white for n.              *)
ColourDiscipline ==                                                                  \* E2
  \A n \in IdsOf[topo] : \A c \in ChannelsOf[topo] : Source(c) \notin Red(n) =>
    \A i \in DOMAIN chan[c] : IsMessage(chan[c][i]) => n \notin chan[c][i].red

(* A channel is closed for n if and only if its marker of n was accepted.   *)
ClosedByMarker ==                                                                    \* E6
  \A n \in IdsOf[topo] : \A c \in ChannelsOf[topo] :
    /\ c \in closed[n] => Source(c) \in Red(n)
    /\ Len(MarkersOf(chan[c], n)) = (IF Source(c) \in Red(n) /\ c \notin closed[n] THEN 1 ELSE 0)

(* The target of a channel that is closed for n is red for n, and nothing   *)
(* that is white for n is in it.                                            *)
ClosedIsFinal ==                                                                     \* E15
  \A n \in IdsOf[topo] : \A c \in closed[n] :
    /\ Target(c) \in Red(n)
    /\ \A i \in DOMAIN chan[c] : IsMessage(chan[c][i]) => n \in chan[c][i].red

(* What was recorded of a channel are the white messages accepted in red    *)
(* actions.                                                                 *)
RecordedSoFar == recChan = whiteInRed                                                \* E6

(* White messages were accepted in red actions at red processes only.       *)
WhiteInRedWhenRed ==                                                                 \* E6
  \A n \in IdsOf[topo] : \A c \in ChannelsOf[topo] : whiteInRed[n][c] # << >> => Target(c) \in Red(n)

(* Who has recorded for an id has recorded for those of its initiator with  *)
(* smaller numbers.                                                         *)
RedInOrder ==                                                                        \* E11
  \A n, m \in IdsOf[topo] : n[1] = m[1] /\ n[2] < m[2] => Red(m) \subseteq Red(n)

Inductive ==
  /\ TypeOK
  /\ ColourDiscipline
  /\ OneMarker
  /\ ClosedByMarker
  /\ ClosedIsFinal
  /\ MarkerSeparates
  /\ NoRedInWhite
  /\ RecordedSoFar
  /\ WhiteInRedWhenRed
  /\ RedInOrder
  /\ MarkersAscend

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo       \in DOMAIN Graphs
  /\ recState   \in [IdsOf[topo] -> UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}]
  /\ RedInOrder
  /\ closed     \in [IdsOf[topo] -> SUBSET ChannelsOf[topo]]
  /\ \A n \in IdsOf[topo] : \A c \in closed[n] : Source(c) \in Red(n) /\ Target(c) \in Red(n)
  /\ chan       \in [ChannelsOf[topo] ->
                       Upto({Marker(n) : n \in IdsOf[topo]} \cup
                            {[msg |-> i, red |-> ids] : i \in Item, ids \in SUBSET IdsOf[topo]}, Longest)]
  /\ ClosedByMarker /\ ClosedIsFinal /\ ColourDiscipline /\ MarkerSeparates /\ MarkersAscend /\ OneMarker
  /\ redInWhite \in [IdsOf[topo] -> [ChannelsOf[topo] -> Records]]
  /\ NoRedInWhite
  /\ whiteInRed \in [IdsOf[topo] -> [ChannelsOf[topo] -> Records]]
  /\ WhiteInRedWhenRed
  /\ recChan    = whiteInRed
  /\ state      \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
