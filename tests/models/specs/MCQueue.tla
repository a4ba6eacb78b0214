---- MODULE MCQueue ----
EXTENDS Queue, TLC
CONSTANTS a, b
MCMessage == {a, b}
MCRoom(q) == Len(q) < 3
Swaps == Permutations(MCMessage)
Few == Len(queue) < 3
====
