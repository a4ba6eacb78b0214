----------------------- MODULE InductiveCyclicBarriers -----------------------
(***************************************************************************)
(* The inductive invariant of `CyclicBarriers'.  `pyharness prove' proves  *)
(* for every graph that each step preserves it; its conjuncts have the     *)
(* same names there.  Here TLC begins in *every* type-correct state within *)
(* a bound that satisfies it, reachable or not, and takes one step.        *)
(*                                                                         *)
(* It differs from `CyclicBarriers' in the initial states.                 *)
(***************************************************************************)
EXTENDS CyclicBarriers, BoundedStates

(* What a white process has sent is white.                                  *)
ColourDiscipline ==                                                                  \* E2
  \A c \in ChannelsOf[topo] : Source(c) \notin Red => Tinted(chan[c], "red") = << >>

(* Red actions, and what they accepted, are of red processes.               *)
WhiteInRedWhenRed ==                                                                 \* E6
  \A c \in ChannelsOf[topo] : whiteInRed[c] # << >> => Target(c) \in Red

(* The barriers of all regular inputs of a red process have come.           *)
RedHasAligned ==                                                                     \* A10
  \A p \in Red : RegularInputs(p) \subseteq arrived

(* Where regular channels lead to a red process from, everyone is red.      *)
RedComesByRegularWays ==                                                             \* A10
  \A p \in ProcessesOf[topo] \ Red : Reach(Regular(Graphs[topo]), {p}) \cap Red = {}

(* Behind a barrier that has come there is nothing white.                   *)
BehindBarrierRed ==                                                                  \* A10
  \A c \in arrived : Tinted(chan[c], "white") = << >>

(* What was logged is what is white and red actions accepted.               *)
LogIsWhiteInRed == recChan = whiteInRed                                              \* A10

Inductive ==
  /\ TypeOK
  /\ ColourDiscipline
  /\ NoRedInWhite
  /\ WhiteInRedWhenRed
  /\ OneBarrier
  /\ BarrierSeparates
  /\ RedHasAligned
  /\ RedComesByRegularWays
  /\ BehindBarrierRed
  /\ OnlyLogs
  /\ LogIsWhiteInRed

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo       \in DOMAIN Graphs
  /\ recState   \in UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}
  /\ arrived    \in SUBSET ChannelsOf[topo]
  /\ chan       \in [ChannelsOf[topo] -> Queues({Barrier})]
  /\ ColourDiscipline /\ OneBarrier /\ BarrierSeparates /\ RedHasAligned /\ RedComesByRegularWays /\ BehindBarrierRed
  /\ redInWhite \in [ChannelsOf[topo] -> Records]
  /\ NoRedInWhite
  /\ whiteInRed \in [ChannelsOf[topo] -> Records]
  /\ WhiteInRedWhenRed
  /\ recChan    \in [ChannelsOf[topo] -> Records]
  /\ OnlyLogs /\ LogIsWhiteInRed
  /\ state      \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
