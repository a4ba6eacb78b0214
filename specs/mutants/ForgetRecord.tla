---- MODULE ForgetRecord ----
(***************************************************************************)
(* Mutant: a process that resumes forgets what it recorded (E1).           *)
(* Overrides KeptBy of StopTheWorld.                                       *)
(***************************************************************************)
EXTENDS StopTheWorld

ForgetRecordKeptBy(p) == [q \in Red \ {p} |-> recState[q]]
====
