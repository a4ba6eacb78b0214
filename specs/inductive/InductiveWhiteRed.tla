-------------------------- MODULE InductiveWhiteRed --------------------------
(***************************************************************************)
(* The inductive invariant of `WhiteRed'.  `pyharness prove' proves        *)
(* for every graph that each step preserves it; its conjuncts have the     *)
(* same names there.  Here TLC begins in *every* type-correct state within *)
(* a bound that satisfies it, reachable or not, and takes one step.        *)
(*                                                                         *)
(* It differs from `WhiteRed' in the initial states.                       *)
(***************************************************************************)
EXTENDS WhiteRed, BoundedStates

(* In each channel the white messages come first.                           *)
WhiteBeforeRed ==                                                                    \* E2
  \A c \in ChannelsOf[topo] : \A i, j \in DOMAIN chan[c] :
    i < j /\ HasColour(chan[c][i], "red") => HasColour(chan[c][j], "red")

(* Channels are recorded at red processes only.                             *)
RecordedWhenRed ==                                                                   \* E6
  \A c \in ChannelsOf[topo] : recChan[c] # << >> => Target(c) \in Red

Inductive ==
  /\ TypeOK
  /\ ColourDiscipline
  /\ WhiteBeforeRed
  /\ RecordedWhenRed

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo     \in DOMAIN Graphs
  /\ recState \in UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}
  /\ chan     \in [ChannelsOf[topo] -> Queues({})]
  /\ ColourDiscipline /\ WhiteBeforeRed
  /\ recChan  \in [ChannelsOf[topo] -> Records]
  /\ RecordedWhenRed
  /\ state    \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
