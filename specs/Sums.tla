-------------------------------- MODULE Sums ---------------------------------
(***************************************************************************)
(* The sum of a function's values, which the laws of the applications need.*)
(*                                                                         *)
(* (The Community Modules have this as FoldFunction; TLC alone has not.)   *)
(***************************************************************************)
EXTENDS Naturals

Total(f) ==
  LET RECURSIVE Sum(_)
      Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Sum(S \ {x})
  IN  Sum(DOMAIN f)
==============================================================================
