----------------------- MODULE InductiveChandyLamport ------------------------
(***************************************************************************)
(* The inductive invariant of `ChandyLamport'.  `pyharness prove' proves   *)
(* for every graph that each step preserves it; its conjuncts have the     *)
(* same names there.  Here TLC begins in *every* type-correct state within *)
(* a bound that satisfies it, reachable or not, and takes one step.        *)
(*                                                                         *)
(* It differs from `ChandyLamport' in the initial states.                  *)
(***************************************************************************)
EXTENDS ChandyLamport, BoundedStates

MarkersIn(c) == Len(SelectSeq(chan[c], IsMarker))

(* A channel is closed if and only if its marker was accepted.              *)
ClosedByMarker ==                                                                    \* E6
  \A c \in ChannelsOf[topo] :
    /\ c \in closed => Source(c) \in Red
    /\ MarkersIn(c) = (IF Source(c) \in Red /\ c \notin closed THEN 1 ELSE 0)

(* The target of a closed channel is red, and nothing white is in it.       *)
ClosedIsFinal ==                                                                     \* E15
  \A c \in closed : Target(c) \in Red /\ Tinted(chan[c], "white") = << >>

(* What was recorded of a channel are the white messages accepted in red    *)
(* actions.                                                                 *)
RecordedSoFar == recChan = whiteInRed                                                \* E6

(* White messages were accepted in red actions at red processes only.       *)
WhiteInRedWhenRed ==                                                                 \* E6
  \A c \in ChannelsOf[topo] : whiteInRed[c] # << >> => Target(c) \in Red

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

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo       \in DOMAIN Graphs
  /\ recState   \in UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}
  /\ closed     \in SUBSET ChannelsOf[topo]
  /\ chan       \in [ChannelsOf[topo] -> Queues({Marker})]
  /\ ColourDiscipline /\ MarkerSeparates /\ ClosedByMarker /\ ClosedIsFinal
  /\ markers    \in [ChannelsOf[topo] -> 0..2]
  /\ OneMarker
  /\ redInWhite \in [ChannelsOf[topo] -> Records]
  /\ NoRedInWhite
  /\ whiteInRed \in [ChannelsOf[topo] -> Records]
  /\ WhiteInRedWhenRed
  /\ recChan    \in [ChannelsOf[topo] -> Records]
  /\ RecordedSoFar
  /\ state      \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
