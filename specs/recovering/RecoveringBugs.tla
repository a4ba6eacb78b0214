--------------------------- MODULE RecoveringBugs ----------------------------
(***************************************************************************)
(* Mutants of `RecoveringBarriers': each replaces one of the operators     *)
(* that its actions share, by the configuration of its name.               *)
(***************************************************************************)
EXTENDS RecoveringBarriers

(* BeginInBetween: without the lock a checkpoint begins while the drainer   *)
(* holds a record, which is in neither the file nor the input: it is lost.  *)
BeginInBetweenMayBegin == TRUE

(* FileForgotten: only what is in the inputs already is logged.             *)
FileForgottenLoggedAtBegin(i) == recovered[i]

(* LoggedTwice: what was logged as the checkpoint began is logged again as  *)
(* it is accepted ahead of a barrier (FLINK-40016).                         *)
LoggedTwiceLogsRestored(i) == recorded # << >> /\ i \in awaited

(* FreshFirst: what is sent after the crash may overtake what it brought    *)
(* back.                                                                    *)
FreshFirstMayAcceptFresh(i) == TRUE

(* NeverBegins: the checkpoint is neither taken nor declined while an input *)
(* recovers, and its barrier is not looked at again: it never ends.         *)
NeverBeginsMayBegin == FALSE

(* ReadsNothing: the drainer takes nothing out of the file, so what was     *)
(* restored is logged, and never accepted.                                  *)
ReadsNothingTakeOut(i) == FALSE

(* ReadTwice: what the drainer takes stays in the file, and is read again.  *)
ReadTwiceTakeOut(i) ==
  /\ hand = << >>
  /\ file[i] # << >>
  /\ hand' = <<i, Head(file[i])>>
  /\ UNCHANGED <<file, recovered, recovering, network, taken, ahead, recorded, logged, awaited>>
==============================================================================
