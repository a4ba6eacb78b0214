---- MODULE Clock ----
EXTENDS Naturals
VARIABLE hour
Init == hour = 0
Tick == hour' = (hour + 1) % 3
Spec == Init /\ [][Tick]_hour
====
