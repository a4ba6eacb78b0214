-------------------- MODULE InductiveAtLeastOnceBarriers ---------------------
(***************************************************************************)
(* The inductive invariant of `AtLeastOnceBarriers', of which two          *)
(* conjuncts are of pipelines alone.  `pyharness prove' proves for every   *)
(* graph that each step preserves it; its conjuncts have the same names    *)
(* there.  Here TLC begins in *every* type-correct state within a bound    *)
(* that satisfies it, reachable or not, and takes one step.                *)
(*                                                                         *)
(* It differs from `AtLeastOnceBarriers' in the initial states.            *)
(***************************************************************************)
EXTENDS AtLeastOnceBarriers, BoundedStates

(* The law with duplicates allowed, which is the application's: nothing     *)
(* here asks for it.                                                        *)
NothingLost(states, channels) == TRUE

(* What a white process has sent is white.                                  *)
ColourDiscipline ==                                                                  \* E2
  \A c \in ChannelsOf[topo] : Source(c) \notin Red => Tinted(chan[c], "red") = << >>

(* Red actions, and what they accepted, are of red processes.               *)
WhiteInRedWhenRed ==                                                                 \* E6
  \A c \in ChannelsOf[topo] : whiteInRed[c] # << >> => Target(c) \in Red

(* Where no process has two inputs, the rule is kept.                       *)
NoRedInWhiteOnPipelines == Pipeline => NoRedInWhite                                  \* E4, A4

(* The barriers of all inputs of a red process have come.                   *)
RedHasAligned ==                                                                     \* A4
  \A p \in Red : AllArrived(p)

(* There, a process with an input is red if and only if its barrier came.   *)
RedIffArrivedOnPipelines ==                                                          \* A4
  Pipeline => \A c \in ChannelsOf[topo] : Target(c) \in Red <=> c \in arrived

(* Behind a barrier that has come there is nothing white.                   *)
BehindBarrierRed ==                                                                  \* A4
  \A c \in arrived : Tinted(chan[c], "white") = << >>

(* Nothing is recorded of channels, and nothing would have to be.           *)
NothingInFlight ==                                                                   \* A4
  \A c \in ChannelsOf[topo] : recChan[c] = << >> /\ whiteInRed[c] = << >>

Inductive ==
  /\ TypeOK
  /\ ColourDiscipline
  /\ NoRedInWhiteOnPipelines
  /\ WhiteInRedWhenRed
  /\ OneBarrier
  /\ BarrierSeparates
  /\ RedHasAligned
  /\ RedIffArrivedOnPipelines
  /\ BehindBarrierRed
  /\ NothingInFlight

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo       \in DOMAIN Graphs
  /\ recState   \in UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}
  /\ arrived    \in SUBSET ChannelsOf[topo]
  /\ chan       \in [ChannelsOf[topo] -> Queues({Barrier})]
  /\ ColourDiscipline /\ OneBarrier /\ BarrierSeparates /\ RedHasAligned /\ BehindBarrierRed
  /\ RedIffArrivedOnPipelines
  /\ redInWhite \in [ChannelsOf[topo] -> Records]
  /\ NoRedInWhiteOnPipelines
  /\ whiteInRed \in [ChannelsOf[topo] -> Records]
  /\ WhiteInRedWhenRed
  /\ recChan    \in [ChannelsOf[topo] -> Records]
  /\ NothingInFlight
  /\ state      \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
