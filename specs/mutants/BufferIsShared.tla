--------------------------- MODULE BufferIsShared ---------------------------
(***************************************************************************)
(* Mutant: a recording that begins discards what others have recorded (E6).*)
(* Overrides Record of Snapshots.                                          *)
(***************************************************************************)
EXTENDS Snapshots

BufferIsSharedRecord(p, n, taken) ==
  /\ recState' = [recState EXCEPT ![n] = @ @@ (p :> state[p])]
  /\ chan'     = [c \in DOMAIN taken |-> IF Source(c) = p THEN Append(taken[c], Marker(n)) ELSE taken[c]]
  /\ recChan'  = [m \in DOMAIN recChan |-> [c \in DOMAIN recChan[m] |-> IF Target(c) = p THEN << >> ELSE recChan[m][c]]]
==============================================================================
