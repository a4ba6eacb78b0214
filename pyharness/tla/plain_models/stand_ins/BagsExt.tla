---- MODULE BagsExt ----
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds
(* More of bags; written for this tool with the meaning that the names have in CommunityModules. *)
BagAdd(B, x) == [e \in DOMAIN B \cup {x} |-> IF e # x THEN B[e] ELSE IF x \in DOMAIN B THEN B[x] + 1 ELSE 1]
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
BagRemove(B, x) ==
  IF x \notin DOMAIN B THEN B ELSE IF B[x] = 1 THEN BagRemoveAll(B, x) ELSE [B EXCEPT ![x] = B[x] - 1]
FoldBag(Op(_, _), base, B) ==
  LET Times(x, sum) == LET folded[n \in 0 .. B[x]] == IF n = 0 THEN sum ELSE Op(x, folded[n - 1]) IN folded[B[x]]
      upTo[S \in SUBSET DOMAIN B] == IF S = {} THEN base ELSE LET x == CHOOSE y \in S : TRUE IN Times(x, upTo[S \ {x}])
  IN upTo[DOMAIN B]
MapThenFoldBag(Op(_, _), base, f(_), choose(_), B) == FoldBag(LAMBDA x, sum : Op(f(x), sum), base, B)
SumBag(B) == FoldBag(LAMBDA x, sum : x + sum, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, product : x * product, 1, B)
==============================
