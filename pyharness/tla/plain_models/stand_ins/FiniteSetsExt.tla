---- MODULE FiniteSetsExt ----
EXTENDS Integers, FiniteSets, Folds, Functions
(* More of finite sets; written for this tool with the meaning that the names have in CommunityModules. *)
FoldSet(Op(_, _), base, S) ==
  LET folded[T \in SUBSET S] == IF T = {} THEN base ELSE LET x == CHOOSE y \in T : TRUE IN Op(x, folded[T \ {x}])
  IN folded[S]
ReduceSet(Op(_, _), S, base) == FoldSet(Op, base, S)
SumSet(S) == FoldSet(LAMBDA a, b : a + b, 0, S)
ProductSet(S) == FoldSet(LAMBDA a, b : a * b, 1, S)
MapThenSumSet(Op(_), S) == FoldSet(LAMBDA x, sum : Op(x) + sum, 0, S)
FlattenSet(S) == UNION S
SymDiff(S, T) == (S \ T) \cup (T \ S)
Quantify(S, P(_)) == Cardinality({s \in S : P(s)})
kSubset(k, S) == {T \in SUBSET S : Cardinality(T) = k}
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Choices(Sets) == {Range(f) : f \in {g \in [Sets -> UNION Sets] : \A T \in Sets : g[T] \in T}}
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
==============================
