---- MODULE MissOne ----
(***************************************************************************)
(* Mutant: the recording in one instant misses a process, and its inputs   *)
(* (E3, E6).                                                               *)
(* Overrides Everyone and AsFound of StopTheWorld.                         *)
(***************************************************************************)
EXTENDS StopTheWorld

MissOneEveryone == ProcessesOf[topo] \ {Graphs[topo].processes}

MissOneAsFound(c) == IF Target(c) \in MissOneEveryone THEN Plain(chan[c]) ELSE << >>
====
