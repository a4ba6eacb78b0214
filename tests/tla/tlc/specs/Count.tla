---- MODULE Count ----
EXTENDS Integers
VARIABLES topo, x
Init == topo \in {"a", "b", "c"} /\ x = 0
Inc == x < (IF topo = "b" THEN 3 ELSE 1) /\ x' = x + 1 /\ UNCHANGED topo
Next == Inc
Count == /\ topo = "a" => x >= 0
         /\ topo = "b" => x >= 0
         /\ topo = "c" => x >= 0
====
