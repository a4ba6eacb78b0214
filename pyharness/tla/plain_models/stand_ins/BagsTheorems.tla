---- MODULE BagsTheorems ----
(* The names of this library's theorems, for the proofs that use them. TLC evaluates no proof. *)
EXTENDS Bags, Integers
==============================
