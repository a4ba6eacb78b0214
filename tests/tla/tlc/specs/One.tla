---- MODULE One ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Inc == x < 2 /\ x' = x + 1
Back == x = 2 /\ x' = 1
Next == Inc \/ Back
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Live == <>(x = 5)
====
