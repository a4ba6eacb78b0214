---- MODULE ForgetRecord ----
(***************************************************************************)
(* Mutant: a process that resumes forgets what it recorded (E1).           *)
(* Overrides GoOn of StopTheWorld.                                         *)
(***************************************************************************)
EXTENDS StopTheWorld

ForgetRecordGoOn(p) ==
  /\ paused' = paused \ {p}
  /\ recState' = [q \in Red \ {p} |-> recState[q]]
====
