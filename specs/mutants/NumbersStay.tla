----------------------------- MODULE NumbersStay -----------------------------
(***************************************************************************)
(* Mutant: an initiator gives all its snapshots one number, and what it    *)
(* recorded last takes the place of what it recorded first (E1, E11).      *)
(* Overrides NextOf and Record of Snapshots.                               *)
(***************************************************************************)
EXTENDS Snapshots

NumbersStayNextOf(p) == <<p, 1>>

NumbersStayRecord(p, n, taken) ==
  /\ recState' = [recState EXCEPT ![n] = (p :> state[p]) @@ @]
  /\ chan'     = [c \in DOMAIN taken |-> IF Source(c) = p THEN Append(taken[c], Marker(n)) ELSE taken[c]]
  /\ UNCHANGED recChan
==============================================================================
