---- MODULE Bitwise ----
LOCAL INSTANCE Integers
(* The bits of natural numbers; written for this tool with the meaning that the names have in CommunityModules. *)
LOCAL Merged(Bit(_, _), x, y) ==
  LET RECURSIVE From(_, _)
      From(m, n) == IF m = 0 /\ n = 0 THEN 0 ELSE Bit(m % 2, n % 2) + 2 * From(m \div 2, n \div 2)
  IN From(x, y)
x & y == Merged(LAMBDA a, b : a * b, x, y)
x | y == Merged(LAMBDA a, b : a + b - a * b, x, y)
x ^^ y == Merged(LAMBDA a, b : (a + b) % 2, x, y)
Not(x) == Merged(LAMBDA a, b : 1 - b, x, x)
shiftR(x, n) == x \div 2 ^ n
==============================
