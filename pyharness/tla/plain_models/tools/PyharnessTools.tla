---- MODULE PyharnessTools ----
(* What the roots of this tool need of TLC. The names of standard modules are local, so that they do not meet the user's. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC

(* A premise is sought until it is found, by the register of its own. *)
PyharnessZero(register) == TLCSet(register, 0)
PyharnessSought(register, formula) ==
  \/ TLCGet(register) > 0
  \/ ~formula
  \/ TLCSet(register, 1) /\ PrintT(<<"Pyharness", register>>)

(* Registers of one worker of TLC count how often what stands before PyharnessTaken is true. For properties of behaviours
   TLC looks for the steps of a state again, which do not count. Then as many states wait as when it had looked last:
   else it has taken one of them. *)
PyharnessCountFrom(first, last) ==
  /\ \A register \in first .. last : TLCSet(register, 0)
  /\ TLCSet(5999, FALSE) /\ TLCSet(5998, -1) /\ TLCSet(5997, 0)
PyharnessTaken(register) == IF TLCGet(5999) THEN TRUE ELSE TLCSet(register, TLCGet(register) + 1)

(* Never taken: the first and the last that TLC looks at in a state. It prints the registers when no state waits: what is
   printed last is right. It prints them from time to time, too, each time after twice as many seconds. *)
PyharnessLooks == TLCSet(5999, TLCGet("queue") = TLCGet(5998)) /\ FALSE
PyharnessLooked(first, last) ==
  /\ TLCSet(5998, TLCGet("queue"))
  /\ IF TLCGet(5998) = 0 THEN TRUE
     ELSE TLCGet("duration") > TLCGet(5997) /\ TLCSet(5997, 2 * TLCGet("duration"))
  /\ \A register \in first .. last : PrintT(<<"PyharnessTaken", register, TLCGet(register)>>)
  /\ FALSE

(* The run ends after so many seconds. What depends on no variable TLC evaluates once, before it begins: so x is one. *)
PyharnessWithin(seconds, x) ==
  \/ TLCGet("duration") < seconds
  \/ TLCSet("exit", TRUE)
  \/ x = x

(* The run ends when there are more states than so many: x is a variable, as above. *)
PyharnessUpTo(most, x) ==
  \/ TLCGet("distinct") <= most
  \/ TLCSet("exit", TRUE)
  \/ x = x

(* No behaviour is followed beyond so many states: x is a variable, as above. *)
PyharnessNoDeeper(most, x) == x = x /\ TLCGet("level") < most

(* Tells the states in which a formula is not true, and is true itself. *)
PyharnessFails(number, formula, state) ==
  \/ formula
  \/ PrintT(<<"PyharnessFails", number, state>>)

(* Each mutant has two registers: whether its graph grew beyond a bound, and how often a state of it was looked at. *)
PyharnessGrownIn(mutant) == 8000 + 2 * mutant
PyharnessLookedAt(mutant) == 8001 + 2 * mutant
PyharnessBegin(last) ==
  /\ TLCSet(7999, -1)
  /\ \A mutant \in 0 .. last : TLCSet(PyharnessGrownIn(mutant), 0) /\ TLCSet(PyharnessLookedAt(mutant), 0)

(* A mutant is followed as long as it is not looked at more often than so. *)
PyharnessFollowed(mutant, most) ==
  /\ TLCGet(PyharnessGrownIn(mutant)) = 0
  /\ TLCSet(PyharnessLookedAt(mutant), TLCGet(PyharnessLookedAt(mutant)) + 1)
  /\ \/ TLCGet(PyharnessLookedAt(mutant)) <= most
     \/ TLCSet(PyharnessGrownIn(mutant), 1) /\ PrintT(<<"PyharnessGrown", mutant>>) /\ FALSE

(* Says at which mutant TLC is, whenever that is another one: where TLC cannot go on, it does not say itself. In a step
   TLC would take each part of a disjunction, and so each step twice. *)
PyharnessNow(mutant) ==
  IF TLCGet(7999) = mutant THEN TRUE ELSE TLCSet(7999, mutant) /\ PrintT(<<"PyharnessNow", mutant>>)

(* Is this a step from an initial state? *)
PyharnessBegins(x) == TLCGet("level") = 1 /\ x = x

(* What was seen of a group of states, which is a mutant or a graph, has a register, for each number behind a base of its
   own: it is told once, with how deep the state is. Where a property does not hold each weakening is asked for, until that
   does not hold either; if it is watched, until it was seen to hold, too, under the next number. *)
PyharnessUnseen(first, last) == \A register \in first .. last : TLCSet(register, FALSE)
PyharnessWasSeen(base, group) == TLCGet(base + group)
PyharnessSeen(base, group, number) ==
  \/ PyharnessWasSeen(base, group)
  \/ TLCSet(base + group, TRUE) /\ PrintT(<<"PyharnessSeen", group, number, TLCGet("level")>>)
PyharnessAsked(base, group, number, holds) ==
  \/ PyharnessWasSeen(base, group)
  \/ holds
  \/ PyharnessSeen(base, group, number)
PyharnessWatched(base, next, group, number, holds) ==
  \/ PyharnessWasSeen(base, group) /\ PyharnessWasSeen(next, group)
  \/ IF holds THEN PyharnessSeen(next, group, number + 1) ELSE PyharnessSeen(base, group, number)

(* What weakenings are written with, under names of this tool. *)
PyharnessAllButOne(S) == IF S = {} THEN {} ELSE S \ {CHOOSE x \in S : TRUE}
PyharnessOneAlone(S) == IF S = {} THEN {} ELSE {CHOOSE x \in S : TRUE}
PyharnessValuesOf(q) == {q[i] : i \in DOMAIN q}
==============================
