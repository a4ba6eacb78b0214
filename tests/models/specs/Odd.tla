---- MODULE Odd ----
(* Counts to three, keeps words that are hard to read, and ends in a deadlock. *)
EXTENDS Naturals, Sequences, TLC
VARIABLES n, words
Init == n = 0 /\ words = << >>
Up(by) == n + by <= 3 /\ n' = n + by /\ words' = Append(words, "a\"b\\<<")
Next == \E by \in 1 .. 2 : Up(by)
Spec == Init /\ [][Next]_<<n, words>>
Even == n % 2 = 0
Few == Len(words) < 3
Ends == n = 3
First == Head(words) = "a"
Total == n + Len(words)
Asserted == Assert(n < 2, "too many")
Small == n < 3
====
