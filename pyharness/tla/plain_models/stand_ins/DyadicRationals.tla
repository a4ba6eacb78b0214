---- MODULE DyadicRationals ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
(* Fractions whose denominators are powers of two, in lowest terms; written for this tool with the meaning that the names have in
   CommunityModules. *)
LOCAL Fraction(n, d) == [num |-> n, den |-> d]
LOCAL Lowest(num, den) ==
  LET RECURSIVE Halved(_, _)
      Halved(n, d) == IF n % 2 = 0 /\ d % 2 = 0 THEN Halved(n \div 2, d \div 2) ELSE Fraction(n, d)
  IN IF num = 0 THEN Fraction(0, 1) ELSE Halved(num, den)
Zero == Fraction(0, 1)
One == Fraction(1, 1)
IsDyadicRational(r) == \E i \in 0 .. r.den : 2 ^ i = r.den
Add(p, q) == Lowest(p.num * q.den + q.num * p.den, p.den * q.den)
PrettyPrint(p) == IF p.den = 1 THEN ToString(p.num) ELSE ToString(p.num) \o "/" \o ToString(p.den)
Half(p) == Lowest(p.num, p.den * 2)
==============================
