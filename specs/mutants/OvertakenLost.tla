---- MODULE OvertakenLost ----
(***************************************************************************)
(* Mutant: the records that a barrier overtakes are not recorded (A5).     *)
(* Overrides Overtaken of UnalignedBarriers.                               *)
(***************************************************************************)
EXTENDS UnalignedBarriers

OvertakenLostOvertaken(c, i) == << >>
====
