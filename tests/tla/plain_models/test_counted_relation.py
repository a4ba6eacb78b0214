"""What a check of any spec counts by registers is what TLC's coverage counts; where it may not be, coverage counts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.models import spec_check
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.models.verdicts import Verdict
from pyharness.tla.plain_models.counted_relation import counted_relation
from pyharness.tla.plain_models.plain_model import ROOT, read_model
from tests.long import LONG, long_but, some
from tests.modules_at_once import read_at_once

SPECS = Path(__file__).parents[2] / "models" / "specs"
BOUNDS = Bounds(120, 512)

pytestmark = pytest.mark.tlc


def written(place, name, config, *lines, **others):
    """The file of a module with these lines, beside ``others``."""
    for each, text in {**others, name: "\n".join(lines)}.items():
        (place / f"{each}.tla").write_text(f"---- MODULE {each} ----\n{text}\n====\n", encoding="utf-8")
    (place / f"{name}.cfg").write_text(config, encoding="utf-8")
    return place / f"{name}.tla"


def facts(checked):
    """What a check says, whoever counted."""
    result = checked.result
    trace = result.trace
    return {
        "verdict": (checked.verdict, checked.reason, checked.violated),
        "states": (result.distinct, result.generated, result.depth),
        "actions": checked.actions,
        "evaluated": checked.evaluated,
        "premises": checked.premises,
        "notes": checked.notes,
        "trace": trace and [(step.action, step.location, step.state) for step in trace.steps],
    }


def both(model):
    """What registers say of a model, after a look that coverage says the same."""
    tools = find_tools()
    counted, covered = check_plain(model, tools, BOUNDS), check_plain(model, tools, BOUNDS, expressions=True)
    assert facts(counted) == facts(covered)
    assert covered.coverage is not None
    return counted


FORMS = {
    # fairness and a property of steps over counted actions, initial states that TLC comes to twice, an action never
    # taken, one without a name, one called twice, LET in an action, a specification in two parts, what is out of bounds
    "lower": (
        "SPECIFICATION Live\nINVARIANTS Small Even\nPROPERTY Steps\nCONSTRAINT Near\nACTION_CONSTRAINT Calm",
        "EXTENDS Lower",
        "Init == x = 0 /\\ (y \\in {0} \\/ y = 0)",
        "Never == x = 77 /\\ x' = 0 /\\ y' = y",
        "Next == \\/ Move \\/ Never \\/ Add(1) \\/ (x = 2 /\\ y = 0 /\\ y' = 1 /\\ UNCHANGED x)",
        "Spec == Init /\\ [][Next]_<<x, y>>",
        "Live == Spec /\\ WF_<<x, y>>(Move) /\\ WF_<<x, y>>(Add(1))",
        "Small == x < 99",
        "Even == x = 3 => y \\in {0, 1}",
        "Near == x < 5",
        "Calm == x' # 4",
        "Comes == <>(x > 1)",
        "Steps == [][Add(1) \\/ Move \\/ x' <= x \\/ y' # y]_<<x, y>>",
    ),
    # INIT and NEXT, a set that depends on the state, a set that stands in, SYMMETRY and VIEW
    "sets": (
        "INIT Init NEXT Next INVARIANT Typed SYMMETRY Perms VIEW Seen CONSTANTS P = {p1, p2} Limit <- Two",
        "EXTENDS Naturals, TLC",
        "CONSTANTS P, Limit",
        "VARIABLES sent, got, n",
        "Two == 2",
        "Perms == Permutations(P)",
        "Seen == <<sent, got>>",
        "Init == sent = {} /\\ got = {} /\\ n = 0",
        "Send(p) == p \\notin sent /\\ sent' = sent \\cup {p} /\\ UNCHANGED <<got, n>>",
        "Get == \\E p \\in sent \\ got : got' = got \\cup {p} /\\ UNCHANGED <<sent, n>>",
        "Count == LET next == n + 1 IN next <= Limit /\\ n' = next /\\ UNCHANGED <<sent, got>>",
        "Done == got = P /\\ UNCHANGED <<sent, got, n>>",
        "Next == (\\E p \\in P : Send(p)) \\/ (\\E p \\in sent : p \\in got /\\ got' = got /\\ UNCHANGED <<sent, n>>)",
        "        \\/ Get \\/ Count \\/ Done",
        "Typed == got \\subseteq sent",
    ),
    # as PlusCal was translated once: a process with arguments, and a part without a name against deadlock
    "process": (
        "SPECIFICATION Spec\nINVARIANT Counted",
        "EXTENDS Naturals",
        "VARIABLES pc, total",
        "vars == <<pc, total>>",
        "ProcSet == 1 .. 2",
        'Init == pc = [self \\in ProcSet |-> "add"] /\\ total = 0',
        'add(self) == pc[self] = "add" /\\ total\' = total + 1 /\\ pc\' = [pc EXCEPT ![self] = "Done"]',
        "worker(self) == add(self)",
        "Next == (\\E self \\in ProcSet: worker(self))",
        '        \\/ ((\\A self \\in ProcSet: pc[self] = "Done") /\\ UNCHANGED vars)',
        "Spec == /\\ Init /\\ [][Next]_vars /\\ \\A self \\in ProcSet : WF_vars(worker(self))",
        "Counted == total <= 2",
    ),
}
LOWER = (
    "EXTENDS Naturals\nVARIABLES x, y\nLOCAL Most == 6\n"
    "Add(k) == x < Most /\\ x' = x + k /\\ UNCHANGED y\n"
    "Back == x > 3 /\\ x' = 0 /\\ y' \\in {0, y}\nMove == \\/ \\E k \\in {1, 2} : Add(k)\n        \\/ Back"
)


@pytest.mark.parametrize("form", some(FORMS, 2))
def test_registers_count_what_coverage_counts(tmp_path, form):
    config, *lines = FORMS[form]
    found = both(read_model(written(tmp_path, "Own", config, *lines, Lower=LOWER)))
    assert found.verdict is Verdict.PASS or "VIEW Seen" in found.reason
    assert (found.coverage, found.partial) == (None, False)


ONE = (
    "Init == x = 0\nA == x' = 1\nB == x = 1 /\\ x' = 0\nNever == FALSE\nOnce(Op(_)) == Op(6001) = 0\n"
    "Small == x # 9\n%s\nSpec == Init /\\ [][Next]_x"
)
INNER = "VARIABLE x\n%sLimit == 1\nGone == FALSE /\\ x' = x\nGo == (x = Limit /\\ x' = 1) \\/ Gone"
BOTH = "Next == A \\/ B"


OTHERS = [
    ("", "Next == (A /\\ TLCSet(6001, 7)) \\/ B"),
    ("", "Next == (A /\\ Once(TLCGet)) \\/ B"),
    ("CONSTANT A <- Never", BOTH),
    ("CONSTANT Next <- A", BOTH),
    ("CONSTANT Small <- Never", BOTH),
    ("INVARIANT Never", BOTH),
    ("SPECIFICATION NoName", f"{BOTH}\nNoName == Init /\\ [][A \\/ B]_x"),
    ("SPECIFICATION Two", f"{BOTH}\nTwo == Init /\\ [][Next]_x /\\ [][B]_x"),
    ("", "Next == LET here == 1 IN A \\/ B"),
    ("", "I == INSTANCE Inner\nNext == I!Go \\/ B"),
    ("", "EXTENDS LocalInner\nLimit == 5\nNext == Go \\/ B"),
    ("CONSTANT Limit <- [Inner] Never", "EXTENDS Inner\nNext == Go \\/ B"),
]


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """The files of these cases, which are read in one run."""
    place, files = tmp_path_factory.mktemp("others"), []
    for number, (config, text) in enumerate(OTHERS):
        extended = re.match(r"EXTENDS (\w+)\n", text)
        head = f"EXTENDS TLC, {extended[1]}" if extended else "EXTENDS TLC\nVARIABLE x"
        body = ONE % text.removeprefix(extended[0] if extended else "")
        given = f"{'' if 'SPECIFICATION' in config else 'SPECIFICATION Spec '}{config} INVARIANT Small"
        inner = {"Inner": INNER % "", "LocalInner": INNER % "LOCAL "}
        files.append(written(place, f"Own{number}", given, head, body, **inner))
    read_at_once(place)
    return files


@pytest.mark.parametrize("number", range(len(OTHERS)), ids=[f"{config}-{text}" for config, text in OTHERS])
def test_what_may_be_another_relation_is_not_counted(others, number):
    assert counted_relation(read_model(others[number])) is None


TAKEN = re.compile(r" /\\ PyharnessTaken\((\d+)\)")
BROKEN = {
    "no invariant is asked": lambda line: line,
    "an action that does not count": lambda line: line.replace(" /\\ PyharnessTaken(6001)", ""),
    "an action that counts twice": lambda line: TAKEN.sub(r"\g<0>\g<0>", line) if "TakesAsk" in line else line,
    "what is tried counts": lambda line: re.sub(r"(Yield\(p\)) /\\ (\w+\(6002\))", r"\2 /\\ \1", line),
    "initial states that do not count": lambda line: line.replace(" /\\ PyharnessTaken(6000)", ""),
    "invariants that are asked in some states": lambda line: line.replace("Holds == ", "Holds == turn = 0 => "),
    "invariants that are never asked": lambda line: line.replace("Flagged /\\ Py", "Flagged \\/ Py"),
    "counts are printed before the last steps": lambda line: re.sub(r"(\(.*\)) \\/ (\w+Looked.*)", r"\2 \\/ \1", line),
    "counts are not printed": lambda line: re.sub(r" \\/ \w+Looked\(.*\)", "", line),
    "steps that are looked for again count": lambda line: line.replace("PyharnessLooks \\/ ", ""),
}  # fmt: skip


@pytest.mark.parametrize(
    "how",
    long_but(
        BROKEN,
        {
            "no invariant is asked",
            "an action that does not count",
            "invariants that are never asked",
            "counts are not printed",
        },
    ),
)
def test_registers_that_do_not_add_up_are_not_believed(monkeypatch, how):
    mutex = read_model(SPECS / "Mutex.tla")
    whole = counted_relation(mutex)
    broken = replace(whole, lines=tuple(map(BROKEN[how], whole.lines)))
    if how == "no invariant is asked":
        broken = replace(whole, config=replace(whole.config, invariants=()))
    assert broken != whole
    monkeypatch.setattr(spec_check, "counted_relation", lambda _: broken)
    found = check_plain(mutex, find_tools(), BOUNDS)
    assert found.coverage is not None, found.actions
    assert (found.verdict, found.evaluated) == (Verdict.PASS, ("TypeOK", "Exclusion", "Flagged"))


def test_registers_of_several_workers_are_not_believed():
    assert (
        check_plain(read_model(SPECS / "Minutes.tla"), find_tools(), replace(BOUNDS, workers=2)).coverage
        is not None
    )


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("INVARIANT Low", "Next == Up \\/ Down"),
        pytest.param("PROPERTY Rises", "Next == Up \\/ Down", marks=LONG),
        ("PROPERTY Stays", "Next == Up \\/ Down"),
        pytest.param("INVARIANT Small", "Next == Up", marks=LONG),
        ("INVARIANT Asserted", "Next == Up"),
    ],
)
def test_a_violation_is_told_as_the_spec_says_it(tmp_path, config, text):
    lines = [
        "EXTENDS Naturals, TLC", "VARIABLE x", "Init == x = 0", "Up == x < 3 /\\ x' = x + 1",
        "Down == x = 3 /\\ x' = 0", text, "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)", "Small == x < 9",
        "Low == x < 3",
        "Rises == [][x' > x]_x",
        "Stays == <>[](x = 3)", 'Asserted == x < 3 \\/ Assert(FALSE, "here")',
    ]  # fmt: skip
    found = both(read_model(written(tmp_path, "Own", f"SPECIFICATION Spec {config}", *lines)))
    assert found.verdict in (Verdict.VIOLATION, Verdict.SPEC_ERROR)
    steps = found.result.trace.steps if found.result.trace else ()
    assert all(ROOT not in (step.location or "") for step in steps)
    assert "Pyharness" not in found.result.error_text
