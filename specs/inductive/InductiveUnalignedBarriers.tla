--------------------- MODULE InductiveUnalignedBarriers ----------------------
(***************************************************************************)
(* The inductive invariant of `UnalignedBarriers'.  `pyharness prove'      *)
(* proves for every graph that each step preserves it; its conjuncts have  *)
(* the same names there.  Here TLC begins in *every* type-correct state    *)
(* within a bound that satisfies it, reachable or not, and takes one step. *)
(*                                                                         *)
(* It differs from `UnalignedBarriers' in the initial states.              *)
(***************************************************************************)
EXTENDS UnalignedBarriers, BoundedStates

(* What a white process has sent is white.                                  *)
ColourDiscipline ==                                                                  \* E2
  \A c \in ChannelsOf[topo] : Source(c) \notin Red => Tinted(chan[c], "red") = << >>

(* Red actions, and what they accepted, are of red processes.               *)
WhiteInRedWhenRed ==                                                                 \* E6
  \A c \in ChannelsOf[topo] : whiteInRed[c] # << >> => Target(c) \in Red

(* A process one of whose barriers has come is red.                         *)
ArrivedIsRed ==                                                                      \* A5
  \A c \in arrived : Target(c) \in Red

(* What red actions accepted, and of a channel whose barrier came what is   *)
(* white in it, is in flight.                                               *)
InFlightIsWhite ==                                                                   \* A5
  \A c \in ChannelsOf[topo] :
    recChan[c] = whiteInRed[c] \o (IF c \in arrived THEN Plain(Tinted(chan[c], "white")) ELSE << >>)

Inductive ==
  /\ TypeOK
  /\ ColourDiscipline
  /\ NoRedInWhite
  /\ WhiteInRedWhenRed
  /\ OneBarrier
  /\ BarrierSeparates
  /\ ArrivedIsRed
  /\ InFlightIsWhite

------------------------------------------------------------------------------

ivars == vars

(* Every state within the bound that satisfies the invariant.  Conjuncts    *)
(* stand as early as their variables allow, which saves TLC most of them.   *)
IInit ==
  /\ topo       \in DOMAIN Graphs
  /\ recState   \in UNION {[R -> Local] : R \in SUBSET ProcessesOf[topo]}
  /\ arrived    \in SUBSET ChannelsOf[topo]
  /\ chan       \in [ChannelsOf[topo] -> Queues({Barrier})]
  /\ ColourDiscipline /\ OneBarrier /\ BarrierSeparates /\ ArrivedIsRed
  /\ redInWhite \in [ChannelsOf[topo] -> Records]
  /\ NoRedInWhite
  /\ whiteInRed \in [ChannelsOf[topo] -> Records]
  /\ WhiteInRedWhenRed
  /\ recChan    \in [ChannelsOf[topo] -> Upto(Item, Longest + Recorded)]
  /\ InFlightIsWhite
  /\ state      \in [ProcessesOf[topo] -> Local]
  /\ Inductive

INext == Next

------------------------------------------------------------------------------

THEOREM Inductive /\ [Next]_vars => Inductive'
==============================================================================
