---- MODULE Translated ----
EXTENDS Naturals
(* --algorithm Translated
variables shared = 0;
process Worker \in 1 .. 2
  variables own = 0;
begin
  read: own := shared;
  write: shared := own + 1;
end process;
end algorithm *)
\* BEGIN TRANSLATION
VARIABLES shared, pc, own

vars == << shared, pc, own >>

ProcSet == (1 .. 2)

Init == (* Global variables *)
        /\ shared = 0
        (* Process Worker *)
        /\ own = [self \in 1 .. 2 |-> 0]
        /\ pc = [self \in ProcSet |-> "read"]

read(self) == /\ pc[self] = "read"
              /\ own' = [own EXCEPT ![self] = shared]
              /\ pc' = [pc EXCEPT ![self] = "write"]
              /\ UNCHANGED shared

write(self) == /\ pc[self] = "write"
               /\ shared' = own[self] + 1
               /\ pc' = [pc EXCEPT ![self] = "Done"]
               /\ own' = own

Worker(self) == read(self) \/ write(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in 1 .. 2: Worker(self))
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(\A self \in ProcSet: pc[self] = "Done")
\* END TRANSLATION

Counted == (\A self \in ProcSet : pc[self] = "Done") => shared = 2
====
