---- MODULE Queue ----
EXTENDS Sequences, Naturals
CONSTANTS Message, Room(_)
VARIABLE queue
Init == queue = << >>
Put(m) == Room(queue) /\ queue' = Append(queue, m)
Get == queue # << >> /\ queue' = Tail(queue)
Next == (\E m \in Message : Put(m)) \/ Get
Spec == Init /\ [][Next]_queue
Short == Len(queue) <= 3
====
