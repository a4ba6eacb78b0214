---- MODULE SequencesExt ----
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC
(* More of sequences; written for this tool with the meaning that the names have in CommunityModules. *)
ToSet(s) == {s[i] : i \in DOMAIN s}
ToBag(s) == [x \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]
SetToSeq(S) == CHOOSE s \in [1 .. Cardinality(S) -> S] : IsInjective(s)
SetToSeqs(S) == {s \in [1 .. Cardinality(S) -> S] : IsInjective(s)}
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}
BoundedSeq(S, n) == UNION {[1 .. m -> S] : m \in 0 .. n}
SeqOf(S, n) == UNION {[1 .. m -> S] : m \in 0 .. n}
SetToSortSeq(S, Before(_, _)) ==
  LET sorted[T \in SUBSET S] ==
        IF T = {} THEN << >>
        ELSE LET x == CHOOSE y \in T : \A z \in T \ {y} : Before(y, z) IN <<x>> \o sorted[T \ {x}]
  IN sorted[S]
Reverse(s) == [i \in 1 .. Len(s) |-> s[Len(s) - i + 1]]
Remove(s, e) == SelectSeq(s, LAMBDA t : t # e)
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirst(s, e) ==
  IF \E i \in DOMAIN s : s[i] = e
  THEN RemoveAt(s, CHOOSE i \in DOMAIN s : s[i] = e /\ \A j \in 1 .. i - 1 : s[j] # e)
  ELSE s
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
ReplaceAll(s, old, new) == [i \in DOMAIN s |-> IF s[i] = old THEN new ELSE s[i]]
SelectInSeq(s, Test(_)) ==
  IF \E i \in DOMAIN s : Test(s[i])
  THEN CHOOSE i \in DOMAIN s : Test(s[i]) /\ \A j \in 1 .. i - 1 : ~Test(s[j])
  ELSE 0
SelectLastInSeq(s, Test(_)) ==
  IF \E i \in DOMAIN s : Test(s[i])
  THEN CHOOSE i \in DOMAIN s : Test(s[i]) /\ \A j \in i + 1 .. Len(s) : ~Test(s[j])
  ELSE 0
SelectInSubSeq(s, from, to, Test(_)) == SelectInSeq(SubSeq(s, from, to), Test)
SelectLastInSubSeq(s, from, to, Test(_)) == SelectLastInSeq(SubSeq(s, from, to), Test)
RemoveFirstMatch(s, Test(_)) == IF \E i \in DOMAIN s : Test(s[i]) THEN RemoveAt(s, SelectInSeq(s, Test)) ELSE s
IsSorted(s, Before(_, _)) == \A i, j \in DOMAIN s : i < j => Before(s[i], s[j])
Contains(s, e) == \E i \in DOMAIN s : s[i] = e
Cons(e, s) == <<e>> \o s
Snoc(e, s) == Append(s, e)
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]
IsPrefix(s, t) == Len(s) <= Len(t) /\ \A i \in 1 .. Len(s) : s[i] = t[i]
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == IsPrefix(Reverse(s), Reverse(t))
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0 .. Len(s)}
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1 .. Len(s) + 1}
SubSeqs(s) == {SubSeq(s, i, j) : i \in 1 .. Len(s) + 1, j \in 0 .. Len(s)}
AllSubSeqs(s) == {[i \in 1 .. Cardinality(D) |-> s[SetToSortSeq(D, LAMBDA a, b : a < b)[i]]] : D \in SUBSET DOMAIN s}
FoldSeq(Op(_, _), base, s) ==
  LET from[i \in 1 .. Len(s) + 1] == IF i > Len(s) THEN base ELSE Op(s[i], from[i + 1])
  IN from[1]
FoldLeft(Op(_, _), base, s) ==
  LET upto[i \in 0 .. Len(s)] == IF i = 0 THEN base ELSE Op(upto[i - 1], s[i])
  IN upto[Len(s)]
FoldRight(Op(_, _), s, base) == FoldSeq(Op, base, s)
FoldLeftDomain(Op(_, _), base, s) == FoldLeft(Op, base, [i \in DOMAIN s |-> i])
FoldRightDomain(Op(_, _), s, base) == FoldSeq(Op, base, [i \in DOMAIN s |-> i])
FlattenSeq(ss) == FoldLeft(LAMBDA a, b : a \o b, << >>, ss)
Zip(s, t) == [i \in 1 .. (IF Len(s) < Len(t) THEN Len(s) ELSE Len(t)) |-> <<s[i], t[i]>>]
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b
TupleOf(S, n) == [1 .. n -> S]
IndexFirstSubSeq(s, t) == CHOOSE i \in 1 .. Len(t) + 1 :
  /\ SubSeq(t, i, i + Len(s) - 1) = s
  /\ \A j \in 1 .. i - 1 : SubSeq(t, j, j + Len(s) - 1) # s
ReplaceSubSeqAt(i, new, old, t) == SubSeq(t, 1, i - 1) \o new \o SubSeq(t, i + Len(old), Len(t))
ReplaceFirstSubSeq(new, old, t) ==
  IF old \in SubSeqs(t) THEN ReplaceSubSeqAt(IndexFirstSubSeq(old, t), new, old, t) ELSE t
CommonPrefixes(S) == {p \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) == CHOOSE p \in UNION {Prefixes(s) : s \in S} :
  /\ \A s \in S : IsPrefix(p, s)
  /\ \A q \in UNION {Prefixes(s) : s \in S} : (\A s \in S : IsPrefix(q, s)) => Len(q) <= Len(p)
==============================
