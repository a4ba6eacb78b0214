---- MODULE TLCExt ----
LOCAL INSTANCE TLC
(* What CommunityModules do in Java: here are the names alone. TLC stops where one is evaluated, for it knows no such register. *)
AssertError(message, formula) == TLCGet("TLCExt!AssertError")
TLCGetOrDefault(key, default) == TLCGet("TLCExt!TLCGetOrDefault")
TLCGetAndSet(key, Op(_, _), value, default) == TLCGet("TLCExt!TLCGetAndSet")
Trace == TLCGet("TLCExt!Trace")
CounterExample == TLCGet("TLCExt!CounterExample")
ToTrace(counterexample) == TLCGet("TLCExt!ToTrace")
TLCModelValue(name) == TLCGet("TLCExt!TLCModelValue")
TLCDefer(formula) == TLCGet("TLCExt!TLCDefer")
PickSuccessor(formula) == TLCGet("TLCExt!PickSuccessor")
TLCFP(value) == TLCGet("TLCExt!TLCFP")
TLCEvalDefinition(name) == TLCGet("TLCExt!TLCEvalDefinition")
(* These need no Java. *)
AssertEq(a, b) == IF a = b THEN TRUE ELSE PrintT(<<a, "is not", b>>) /\ FALSE
TLCNoOp(value) == value
TLCCache(formula, closure) == formula
==============================
