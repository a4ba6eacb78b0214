---- MODULE Minutes ----
(* A clock with halves of hours, of which Clock sees the hours. *)
EXTENDS Naturals
VARIABLE halves
Init == halves = 0
Step == halves' = (halves + 1) % 6
Spec == Init /\ [][Step]_halves
Hours == INSTANCE Clock WITH hour <- halves \div 2
Refines == Hours!Spec
THEOREM Spec => Hours!Spec
====
