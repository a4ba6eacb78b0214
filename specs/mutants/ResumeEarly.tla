---- MODULE ResumeEarly ----
(***************************************************************************)
(* Mutant: a process resumes although others have not recorded yet (E4).   *)
(* Overrides MayResume of StopTheWorld.                                    *)
(***************************************************************************)
EXTENDS StopTheWorld

ResumeEarlyMayResume == TRUE
====
