---- MODULE Combinatorics ----
EXTENDS Naturals
(* Written for this tool with the meaning that the names have in CommunityModules. *)
factorial[n \in Nat] == IF n = 0 THEN 1 ELSE n * factorial[n - 1]
choose(n, k) == factorial[n] \div (factorial[k] * factorial[n - k])
==============================
