---------------------------- MODULE GivesUpOlder -----------------------------
(***************************************************************************)
(* Mutant: a process that begins to record at a marker gives up the        *)
(* snapshots of which its part is not complete, as if they had not begun   *)
(* (E1).                                                                   *)
(* Overrides Record and Close of Snapshots.                                *)
(***************************************************************************)
EXTENDS Snapshots

Given(p, taken) == IF taken = chan THEN {} ELSE {m \in RedFor(p) : ~LocallyComplete(p, m)}

GivesUpOlderRecord(p, n, taken) ==
  /\ recState' = [m \in DOMAIN recState |->
                    IF m = n THEN recState[n] @@ (p :> state[p])
                    ELSE IF m \in Given(p, taken) THEN [q \in Red(m) \ {p} |-> recState[m][q]] ELSE recState[m]]
  /\ recChan'  = [m \in DOMAIN recChan |->
                    [d \in ChannelsOf[topo] |->
                       IF m \in Given(p, taken) /\ Target(d) = p THEN << >> ELSE recChan[m][d]]]
  /\ chan'     = [c \in DOMAIN taken |-> IF Source(c) = p THEN Append(taken[c], Marker(n)) ELSE taken[c]]

GivesUpOlderClose(c, n) ==
  closed' = [m \in DOMAIN closed |->
               IF m = n THEN closed[n] \cup {c}
               ELSE {d \in closed[m] : Target(d) = Target(c) => Target(c) \in DOMAIN recState'[m]}]
==============================================================================
