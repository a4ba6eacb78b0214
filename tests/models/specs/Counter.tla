---- MODULE Counter ----
(* Counts up to Most, and stays there. Its theorems say what is checked. *)
EXTENDS Naturals
CONSTANT Most
ASSUME Most \in Nat
VARIABLE n
Init == n = 0
Up == n < Most /\ n' = n + 1
Back == n > Most /\ n' = 0
Next == Up \/ Back
Spec == Init /\ [][Next]_n /\ WF_n(Up)
Bounded == n \in 0 .. Most
Late == n > Most => FALSE
Ends == <>(n = Most)
Grows == [][n' > n]_n
THEOREM Spec => []Bounded
THEOREM Spec => Ends /\ Grows /\ [](n >= 0)
====
