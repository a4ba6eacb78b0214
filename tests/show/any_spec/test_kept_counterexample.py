"""The counterexample of any module as files: a page, a trace that comes back, and a text."""

from __future__ import annotations

import json
import shutil

import pytest

from pyharness.base.errors import SpecError
from pyharness.cli.library import read_trace
from pyharness.models import spec_check
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain
from pyharness.models.trace_system import read_behaviour
from pyharness.show.any_spec.spec_subject import SpecSubject, open_along
from pyharness.show.report.trace.counterexample_table import table_lines
from pyharness.tla.plain_models.plain_model import read_model
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn
from tests.command import run
from tests.show.any_spec.graphs import SPECS, reader

FILES = {"counterexample.html", "counterexample.itf.json", "counterexample.txt"}

pytestmark = pytest.mark.tlc


BETWEEN = """EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Up == x < 60 /\\ x' = x + 1 /\\ UNCHANGED y
Down == x > 0 /\\ x' = x - 1 /\\ UNCHANGED y
Mark == y = 0 /\\ y' = 1 /\\ UNCHANGED x
Spec == Init /\\ [][Up \\/ Down \\/ Mark]_<<x, y>> /\\ WF_<<x, y>>(Up) /\\ WF_<<x, y>>(Down)
Returns == []<>(x = 0)
"""


@pytest.fixture(scope="module")
def between(tmp_path_factory):
    place = tmp_path_factory.mktemp("between")
    (place / "Between.tla").write_text(f"---- MODULE Between ----\n{BETWEEN}====\n", encoding="utf-8")
    (place / "Between.cfg").write_text("SPECIFICATION Spec\nPROPERTY Returns\n", encoding="utf-8")
    return place / "Between.tla"


def kept(path, out, *arguments):
    result = run("check", path, "--out", out, *arguments)
    assert result.exit_code == 1, result.output
    assert {each.name for each in out.iterdir() if not each.name.startswith(".")} == FILES
    return result, (out / "counterexample.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """The output of a check of Translated, the page that it left, and where that is."""
    out = tmp_path_factory.mktemp("translated") / "out"
    return *kept(SPECS / "Translated.tla", out), out


@pytest.fixture(scope="module")
def session():
    """Return a function that opens a module's explorer along a trace; its graph is made once."""
    known = {}

    def opened(path, trace, step=None):
        if path not in known:
            model, own = reader(path)
            known[path] = model, own, own.graph()
        model, own, graph = known[path]
        return open_along(SpecSubject(model, graph, own), graph, trace, step, where="the trace")

    return opened


def test_a_violated_invariant_is_kept_as_a_page_and_as_a_trace(translated):
    result, page, out = translated
    assert result.stdout.splitlines()[-1].endswith("counterexample.html")
    assert "<title>Translated.tla under Translated.cfg: Counted</title>" in page
    assert "Counted == (\\A self \\in ProcSet : pc[self] = &#34;Done&#34;) =&gt; shared = 2" in page
    assert "<small><bdi>Translated.tla:30</bdi></small>" in page
    assert "Pyharness" not in page
    itf = out / "counterexample.itf.json"
    assert "Pyharness" not in itf.read_text(encoding="utf-8")
    assert run("trace", "export", itf, "--to", "html").stdout == page
    assert (
        run("trace", "export", itf, "--to", "text").stdout == itf.with_name("counterexample.txt").read_text()
    )
    refused = run("trace", "export", itf, "--to", "svg")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "this trace is one of the module Translated" in refused.stderr
    assert read_trace(itf)._repr_html_().startswith("<pre>Translated.tla under")


def test_a_violated_property_of_behaviours_is_kept_with_its_loop(between, tmp_path):
    _, page = kept(between, tmp_path / "out")
    assert "is violated by all of this behaviour" in page
    assert "back to <a href=" in page
    trace, meta = read_behaviour(tmp_path / "out" / "counterexample.itf.json")
    assert trace.lasso is not None
    assert (meta["module"], meta["violated"]) == ("Between", "Returns")


def test_the_document_names_the_page_and_a_run_without_a_violation_takes_the_old_one_away(tmp_path):
    out = tmp_path / "out"
    reported = run("check", SPECS / "Translated.tla", "--out", out, "--json")
    assert json.loads(reported.stdout)["page"] == str(out / "counterexample.html")
    (tmp_path / "right.cfg").write_text("SPECIFICATION Spec\nPROPERTY Spec\n", encoding="utf-8")
    right = ("--config", tmp_path / "right.cfg")
    reported = run("check", SPECS / "Translated.tla", *right, "--out", out, "--json")
    assert (reported.exit_code, json.loads(reported.stdout)["page"]) == (0, None)
    assert not FILES & {each.name for each in out.iterdir()}


def test_a_file_of_somebody_else_s_is_not_replaced(tmp_path):
    (tmp_path / "counterexample.html").write_text("mine", encoding="utf-8")
    result = run("check", SPECS / "Translated.tla", "--out", tmp_path)
    assert result.exit_code == 2
    assert "an earlier run did not write it: counterexample.html" in result.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["counterexample.html"]


def test_no_implementation_takes_it(translated):
    result = run("trace", "replay", translated[-1] / "counterexample.itf.json")
    assert result.exit_code == 2
    assert "a trace of the module Translated, of which there is no implementation" in result.stderr


# -- along it in the explorer ------------------------------------------------------------------------------------------


def test_the_explorer_opens_at_the_end_or_at_a_step(translated, session):
    trace, _ = read_behaviour(translated[-1] / "counterexample.itf.json")
    at_end = session(SPECS / "Translated.tla", trace)
    assert at_end.message == "Opened at step 5 of 5."
    assert at_end.here.fails == ("Counted",)
    assert [m.action and m.action.name for m in at_end.here.past()] == [s.action for s in trace.steps]
    earlier = session(SPECS / "Translated.tla", trace, 2)
    assert earlier.message == "Opened at step 2 of 5."
    earlier.forward()
    assert earlier.here.steps == 2


def values(*numbers):
    words = [tuple('a"b\\<<' for _ in range(count)) for count in range(len(numbers))]
    steps = (
        TraceStep("Up" if w else None, Fn([("n", n), ("words", w)]))
        for n, w in zip(numbers, words, strict=True)
    )
    return Trace(tuple(steps))


def test_where_the_graph_has_no_such_step_what_comes_before_is_opened(session):
    found = session(SPECS / "Odd.tla", values(0, 1, 9))
    assert found.message == "Odd.tla parts from the trace at step 3; what comes before is opened, at step 2."


@pytest.mark.parametrize(
    ("trace", "step", "printed"),
    [
        (values(0, 1), 3, "the trace has no step 3"),
        (values(5, 1), None, "it begins in a state that is not an initial one"),
        (
            Trace((TraceStep(None, Fn([("m", 0)])),)),
            None,
            "the trace has the variables m, and Odd.tla has n, words",
        ),
    ],
)
def test_a_trace_of_something_else_is_refused(session, trace, step, printed):
    with pytest.raises(SpecError, match=printed):
        session(SPECS / "Odd.tla", trace, step)


# -- the model -----------------------------------------------------------------------------------------------------


def test_a_model_is_what_tlc_can_run_without_the_tool(tmp_path):
    result = run("plan", "model", SPECS / "Counter.tla", "--constant", "Most=3")
    assert result.exit_code == 0, result.output
    assert "---- MODULE Model ----\nEXTENDS Counter\nTheorem17 == n >= 0\n" in result.stdout
    assert "\\* Model.cfg\nCONSTANT Most = 3\nSPECIFICATION Spec\nINVARIANT Bounded\n" in result.stdout
    assert "with its option -deadlock" in result.stdout
    left = run("plan", "model", SPECS / "Odd.tla", "--property", "Even", "--out", tmp_path / "m")
    assert {path.name for path in (tmp_path / "m").iterdir()} == {"Model.tla", "Model.cfg"}
    assert "INVARIANT Even" in (tmp_path / "m" / "Model.cfg").read_text(encoding="utf-8")
    assert "Few" not in (tmp_path / "m" / "Model.cfg").read_text(encoding="utf-8")
    assert left.stdout.rstrip().endswith("tlc2.TLC Model")
    assert run("check", tmp_path / "m" / "Model.tla", "--library", SPECS).exit_code == 1


def test_java_beside_a_module_is_refused_where_a_command_would_run_it(tmp_path):
    for name in ("Odd.tla", "Odd.cfg"):
        shutil.copyfile(SPECS / name, tmp_path / name)
    (tmp_path / "Odd.class").write_bytes(b"")
    assert "Java among the modules" in run("plan", "model", tmp_path / "Odd.tla").stderr


def test_a_shorter_loop_is_looked_for_among_the_first_states(between, monkeypatch):
    model = read_model(between)
    as_tlc_says = check_plain(model, find_tools(), Bounds(60, 1024))
    monkeypatch.setattr(spec_check, "_SHORT", 4)
    short = check_plain(model, find_tools(), Bounds(60, 1024))
    assert short.violated == as_tlc_says.violated == "Returns"
    assert short.result.distinct == as_tlc_says.result.distinct
    assert 3 == len(short.result.trace) < len(as_tlc_says.result.trace)
    assert short.result.trace.lasso == 1


def test_no_behaviour_is_made_shorter_than_it_is(tmp_path):
    """Where a bound of depth ends a behaviour, it is not fair to what is enabled there."""
    text = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nUp == x < 20 /\\ x' = x + 1\nSpec == Init /\\ [][Up]_x /\\ WF_x(Up)"
    (tmp_path / "Deep.tla").write_text(
        f"---- MODULE Deep ----\n{text}\nP == <>(x = 21)\n====\n", encoding="utf-8"
    )
    config = "SPECIFICATION Spec\nPROPERTY P\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "Deep.cfg").write_text(config, encoding="utf-8")
    found = check_plain(read_model(tmp_path / "Deep.tla"), find_tools(), Bounds(60, 1024))
    assert (found.violated, len(found.result.trace)) == ("P", 21)


def test_a_long_value_is_cut_beneath_the_table():
    steps = tuple(TraceStep(None, Fn({"x": (1,) * n}.items())) for n in (0, 2_000))
    assert max(map(len, table_lines(Trace(steps)))) < 1_100
