--------------------------- MODULE RecordsForOne ----------------------------
(***************************************************************************)
(* Mutant: a message is recorded for the least of the ids that record its  *)
(* channel (E6).                                                           *)
(* Overrides Recording of Snapshots.                                       *)
(***************************************************************************)
EXTENDS Snapshots

RecordsForOneRecording(c) ==
  LET ids == {n \in IdsOf[topo] : Target(c) \in Red(n) /\ c \notin closed[n]}
  IN  {n \in ids : \A m \in ids : n[1] < m[1] \/ (n[1] = m[1] /\ n[2] <= m[2])}
==============================================================================
