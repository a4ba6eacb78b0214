---- MODULE Endless ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ y' \in 0..3
Small == x < 5
====
