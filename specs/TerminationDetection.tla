------------------------ MODULE TerminationDetection -------------------------
(***************************************************************************)
(* To detect that a computation is over: somebody reports it, and only     *)
(* when it is.  How it is found out is left open.                          *)
(*                                                                         *)
(* It differs from the `AsyncTerminationDetection' of the TLA+ examples,   *)
(* with which their family about EWD998 begins, in that of the computation *)
(* there is left only whether it is over: that may be any predicate that   *)
(* stays true once it is.                                                  *)
(*                                                                         *)
(*   E. W. Dijkstra, EWD864a, 1983, paragraph 18.                          *)
(***************************************************************************)
VARIABLES
  over,     \* the computation is over
  detected  \* somebody says so

vars == <<over, detected>>

Init == over \in BOOLEAN /\ detected = FALSE

------------------------------------------------------------------------------

Finish ==
  /\ over' = TRUE
  /\ UNCHANGED detected

Detect ==                                                                            \* E19
  /\ over
  /\ detected' = TRUE
  /\ UNCHANGED over

Next == Finish \/ Detect

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------

Sound == detected => over

THEOREM Spec => []Sound
==============================================================================
