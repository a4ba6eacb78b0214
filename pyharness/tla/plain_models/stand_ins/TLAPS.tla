---- MODULE TLAPS ----
(* What a module that names TLAPS's provers needs so that it can be read. TLC evaluates no proof. *)
SMT == TRUE
CVC3 == TRUE
CVC4 == TRUE
Z3 == TRUE
Yices == TRUE
veriT == TRUE
Zenon == TRUE
SlowZenon == TRUE
SlowerZenon == TRUE
VerySlowZenon == TRUE
SlowestZenon == TRUE
Auto == TRUE
Force == TRUE
Blast == TRUE
SimplifyAndSolve == TRUE
Simplification == TRUE
AutoBlast == TRUE
AllSimp == TRUE
AllIsa == TRUE
AllZ3 == TRUE
AllSMT == TRUE
Isa == TRUE
PTL == TRUE
LS4 == TRUE
PropositionalTemporalLogic == TRUE
SimpleArithmetic == TRUE
ExpandENABLED == TRUE
ExpandCdot == TRUE
AutoUSE == TRUE
Lambdify == TRUE
ENABLEDaxioms == TRUE
ENABLEDrewrites == TRUE
ENABLEDrules == TRUE
LevelComparison == TRUE
EnabledWrapper == TRUE
CdotWrapper == TRUE
TriviallyExpandENABLED == TRUE
Trivial == TRUE
SMTSpass == TRUE
AllProvers == TRUE
Spass == TRUE
SMTT(x) == TRUE
CVC3T(x) == TRUE
CVC4T(x) == TRUE
Z3T(x) == TRUE
YicesT(x) == TRUE
veriTT(x) == TRUE
ZenonT(x) == TRUE
IsaT(x) == TRUE
AllIsaT(x) == TRUE
AllZ3T(x) == TRUE
AllSMTT(x) == TRUE
AllSimpT(x) == TRUE
AllProversT(x) == TRUE
SpassT(x) == TRUE
AutoT(x) == TRUE
ForceT(x) == TRUE
BlastT(x) == TRUE
IsaM(x) == TRUE
IsaMT(x, y) == TRUE
THEOREM SetExtensionality == TRUE
THEOREM NoSetContainsEverything == TRUE
IsaWithSetExtensionality == TRUE
==============================
