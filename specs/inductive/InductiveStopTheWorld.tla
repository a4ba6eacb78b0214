------------------------ MODULE InductiveStopTheWorld ------------------------
(***************************************************************************)
(* The inductive invariant of `StopTheWorld'.  `pyharness prove' proves    *)
(* for every graph that each step preserves it; its conjuncts have the     *)
(* same names there.  Here TLC begins in *every* type-correct state within *)
(* a bound that satisfies it, reachable or not, and takes one step.        *)
(*                                                                         *)
(* It differs from `StopTheWorld' in the initial states.                   *)
(***************************************************************************)
EXTENDS StopTheWorld, BoundedStates

(* What a white process has sent is white.                                  *)
ColourDiscipline ==                                                                  \* E2
  \A c \in ChannelsOf[topo] : Source(c) \notin Red => Tinted(chan[c], "red") = << >>

(* Red actions, and what they accepted, are of red processes.               *)
WhiteInRedWhenRed ==                                                                 \* E6
  \A c \in ChannelsOf[topo] : whiteInRed[c] # << >> => Target(c) \in Red

(* While some have recorded and some have not, all are paused and the       *)
(* channels are empty.                                                      *)
StillWhileRecording ==                                                               \* E13
  Red # {} /\ Red # ProcessesOf[topo] => AllPaused /\ Drained

(* Before all have recorded, no channel has a state.                        *)
NothingRecordedBefore ==                                                             \* E6
  Red # ProcessesOf[topo] => \A c \in ChannelsOf[topo] : recChan[c] = << >> /\ whiteInRed[c] = << >>

Inductive ==
  /\ TypeOK
  /\ ColourDiscipline
  /\ NoRedInWhite
  /\ WhiteInRedWhenRed
  /\ StillWhileRecording
  /\ NothingRecordedBefore
  /\ RecordedIsSSS

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo       \in DOMAIN Graphs
  /\ recState   \in UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}
  /\ paused     \in SUBSET ProcessesOf[topo]
  /\ chan       \in [ChannelsOf[topo] -> Queues({})]
  /\ ColourDiscipline /\ StillWhileRecording
  /\ redInWhite \in [ChannelsOf[topo] -> Records]
  /\ NoRedInWhite
  /\ whiteInRed \in [ChannelsOf[topo] -> Records]
  /\ WhiteInRedWhenRed
  /\ recChan    \in [ChannelsOf[topo] -> Upto(Item, Longest + Recorded)]
  /\ NothingRecordedBefore /\ RecordedIsSSS
  /\ state      \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
