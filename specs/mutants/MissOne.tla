---- MODULE MissOne ----
(***************************************************************************)
(* Mutant: the recording in one instant misses a process, and its inputs   *)
(* (E3, E6).                                                               *)
(* Overrides RecordAsFound of StopTheWorld.                                *)
(***************************************************************************)
EXTENDS StopTheWorld

MissOneRecordAsFound ==
  LET found == ProcessesOf[topo] \ {Graphs[topo].processes}
  IN  /\ recState' = [p \in found |-> state[p]]
      /\ recChan'  = [c \in DOMAIN chan |-> IF Target(c) \in found THEN Plain(chan[c]) ELSE << >>]
====
