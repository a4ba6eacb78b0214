"""A behaviour as a table: what changed has a star, what is long stands beneath."""

from __future__ import annotations

from pyharness.show.report.formats.trace_text import to_text
from pyharness.show.report.trace.counterexample_table import cells_of, table_lines
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, ModelValue, function


def state(**values):
    return Fn(values.items())


R1, R2 = ModelValue("r1"), ModelValue("r2")
TRACE = Trace(
    (
        TraceStep(None, state(rm=function({R1: "working", R2: "working"}), n=0)),
        TraceStep("Prepare", state(rm=function({R1: "prepared", R2: "working"}), n=0), arguments="r1"),
        TraceStep("Count", state(rm=function({R1: "prepared", R2: "working"}), n=1)),
    ),
    lasso=1,
)


def test_a_function_has_a_row_for_each_argument_and_a_change_a_star():
    assert list(table_lines(TRACE)) == [
        "        1              2            3",
        "        Initial state  Prepare(r1)  Count",
        "n        0              0           *1",
        'rm[r1]   "working"     *"prepared"   "prepared"',
        'rm[r2]   "working"      "working"    "working"',
        "",
        "and back to step 2, forever",
    ]


def test_what_does_not_fit_beside_stands_below():
    lines = list(table_lines(TRACE, 40))
    assert [line for line in lines if line.lstrip()[:1].isdigit()] == [
        "        1              2",
        "        3",
    ]
    assert all(len(line) <= 40 for line in lines)


def test_a_long_value_is_cut_and_stands_whole_beneath():
    long = Trace((TraceStep(None, state(s="a" * 50)), TraceStep("Next", state(s="b" * 50))))
    lines = list(table_lines(long))
    assert any("…" in line for line in lines)
    assert f's at 2: "{"b" * 50}"' in lines


def test_what_somebody_wrote_into_a_string_is_harmless():
    (cell,) = cells_of(Trace((TraceStep(None, state(s="\x1b[31m\u202e")),)))["s"]
    assert "\x1b" not in cell.text
    assert "\u202e" not in cell.text


def test_of_a_long_behaviour_a_terminal_shows_the_first_and_the_last_steps():
    steps = tuple(TraceStep("Next" if n else None, state(n=n, s=f"{n:03}" * 20)) for n in range(945))
    long = Trace(steps, lasso=3)
    table, text = "\n".join(table_lines(long, 100, 60)), to_text(long, most=60)
    assert "and back to" in table
    assert "and back to 4, forever" in text
    for shown in (table, text):
        assert "... steps 16 to 900 of 945 are left out here ..." in shown
        assert [f"{n:03}" * 20 in shown for n in range(945)] == [n < 15 or n >= 900 for n in range(945)]
    assert "... steps" not in to_text(long) + "\n".join(table_lines(long))
    assert to_text(Trace(steps[:60]), most=60) == to_text(Trace(steps[:60]))
