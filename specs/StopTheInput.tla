---------------------------- MODULE StopTheInput -----------------------------
(***************************************************************************)
(* Stopping the world in four steps, as articles on stream processors do   *)
(* it: pause the external input, let all finish what is in flight, record  *)
(* every state, resume.  Channel states are empty.                         *)
(*                                                                         *)
(*   PauseInput     a process without inputs, a source, sends no more      *)
(*   (Send, Accept) the others go on, until nothing is in flight           *)
(*   RecordAtRest   each records                                           *)
(*   Resume         once all have recorded, the sources send again         *)
(*                                                                         *)
(* It differs from `StopTheWorld' in who is paused: there every process,   *)
(* here the sources alone.  So the controller must also see that nobody    *)
(* has anything left to pass on, which is in no channel.                   *)
(***************************************************************************)
EXTENDS StopTheWorld

ivars == vars

IInit == Init

Sources == {p \in ProcessesOf[topo] : InputsOf[topo][p] = {}}

(* Process p has nothing to do by itself.                                   *)
Idle(p) == /\ \A c \in OutputsOf[topo][p] : Sendable(p, c, state[p]) = {}
           /\ Internals(p, state[p]) = {}

(* The input is paused, and nothing is in flight: in no channel, and in no  *)
(* process.                                                                 *)
AtRest == paused = Sources /\ Drained /\ \A p \in ProcessesOf[topo] \ paused : Idle(p)

------------------------------------------------------------------------------

PauseInput(p) == p \in Sources /\ Pause(p)

RecordAtRest(p) ==
  /\ p \in ProcessesOf[topo] \ Red
  /\ AtRest
  /\ recState' = (p :> state[p]) @@ recState
  /\ UNCHANGED <<topo, state, chan, recChan, paused, whiteInRed, redInWhite>>

INext ==
  \/ \E c \in Channel : Accept(c)
  \/ \E c \in Channel : Send(c)
  \/ \E p \in Process : Internal(p)
  \/ \E p \in Process : Exchange(p)
  \/ \E p \in Process : PauseInput(p)
  \/ \E p \in Process : RecordAtRest(p)
  \/ \E p \in Process : Resume(p)

ISpec == IInit /\ [][INext]_ivars

(* A process that may pass on does, every message is eventually accepted   *)
(* (E18), and the controller goes on until all have recorded and resumed.   *)
IFairness ==
  /\ \A c \in FairChannels : WF_ivars(Accept(c)) /\ WF_ivars(Send(c))
  /\ \A p \in Process : WF_ivars(PauseInput(p)) /\ WF_ivars(RecordAtRest(p)) /\ WF_ivars(Resume(p))

IFairSpec == ISpec /\ IFairness

------------------------------------------------------------------------------

(* All that it holds up is the input: what a paused source would do.        *)
HeldIsInput ==                                                                       \* E22
  HeldUp(INext, LAMBDA c : FALSE) = {move \in ComputationSteps : move.by \in paused \cap Sources}

(* Liveness needs this of the application, too: from some time on, it is at *)
(* rest when its input is paused.                                           *)
ComesToRest == <>[](paused = Sources /\ Red = {} => AtRest)

------------------------------------------------------------------------------

THEOREM ISpec => TurnsRedOnce
THEOREM ISpec => []NoRedInWhite
THEOREM (Underlying!Spec => []Underlying!Law) /\ ISpec => []SnapshotConserves
THEOREM ISpec => []RecordedIsSSS
THEOREM ISpec => []HeldIsInput
THEOREM ISpec => SSSReachable
THEOREM ISpec => RefinesWhiteRed
THEOREM InputEnabled /\ ComesToRest /\ IFairSpec => EventuallyComplete
THEOREM InputEnabled /\ ComesToRest /\ IFairSpec => EventuallyAllRed
THEOREM InputEnabled /\ ComesToRest /\ IFairSpec => EventuallyResumed
==============================================================================
