---- MODULE Folds ----
(* Folding a set, in the order in which TLC chooses; written for this tool with the meaning that the names have in CommunityModules. *)
MapThenFoldSet(Op(_, _), base, f(_), choose(_), S) ==
  LET folded[T \in SUBSET S] == IF T = {} THEN base ELSE LET x == choose(T) IN Op(f(x), folded[T \ {x}])
  IN folded[S]
==============================
