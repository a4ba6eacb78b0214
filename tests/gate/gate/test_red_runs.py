"""A red run is as good as a green one: a broken property, Python method or pin, and a run that breaks off."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.topology import parse_topology
from pyharness.cli.plan_run import unfinished
from pyharness.cli.run_summary import print_summary
from pyharness.gate.judge.result_cases import cases
from pyharness.machines.protocols import Items
from pyharness.machines.systems import build_system
from pyharness.show.report.ci.annotations import annotation_lines
from pyharness.show.report.run import RunInfo, write_report
from pyharness.tla.tlc import Step, Trace
from pyharness.tla.tlc.itf import to_itf
from pyharness.tla.values import Fn, to_tla
from tests.gate.gate.gate_reports import GRAPH, PLAN, RUN, green_rows, run, violation

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
INFO = RunInfo(NOON, 12.0, ("pyharness", "check", "plan.toml"), {"TLC": "2.15"})
MARKED = PLAN.replace('silent = ["Internal"]', 'silent = ["Internal"]\nconform = true', 1)


def mismatch():
    """Where ChandyLamport and its bug LateTurn part: at the first marker the one turns red, the other stays white."""
    spec, ours = (
        build_system("ChandyLamport", parse_topology(GRAPH), Items(2), mutant=m) for m in (None, "LateTurn")
    )
    state, steps = next(spec.initial()), []
    for name in (None, "Initiate", "Send"):
        if name is not None:
            state = next(action.after for action in spec.actions(state) if action.name == name)
        steps.append(Step(name, Fn(spec.variables(state).items())))

    def after(system):
        return [
            to_tla(Fn(system.variables(action.after).items()))
            for action in system.actions(state)
            if action.name == "AcceptMarker"
        ]

    return {
        "topology": GRAPH,
        "implementation": "correct",
        "action": "AcceptMarker",
        "depth": 3,
        "tlc": after(spec),
        "python": after(ours),
        "itf": to_itf(Trace(tuple(steps)), {"spec": "ChandyLamport"}),
    }


def broken_method():
    compared = {"implementation": "correct", "states": 362, "transitions": 732, "mismatches": 12}
    first = "by AcceptMarker on n2-6-i1, depth 3"
    return {"conformances": [compared | {"first": first}], "conformance": [mismatch()]}


def red(directory, kind):
    """A run with one thing broken, and what says so."""
    green = {"runs": [RUN | {"evaluated": ["NoRedInWhite", "Probes"]}]}
    match kind:
        case "a property":
            return run(
                directory, algorithm=violation("NoRedInWhite")
            ), "NoRedInWhite: Invariant NoRedInWhite is"
        case "a Python method":
            rows = green | broken_method()
            whole = run(directory, MARKED, algorithm=_green(directory) | rows)
            return whole, "the implementation differs in 12 places, first by AcceptMarker on n2-6-i1, depth 3"
        case _:
            return run(directory, PLAN.replace("distinct = 362", "distinct = 361")), "pinned are 361"


def _green(directory):
    (directory / "green.toml").write_text(PLAN, encoding="utf-8")
    return green_rows(run(directory).report.models[0].model)


@pytest.mark.parametrize("kind", ["a property", "a Python method", "a pin"])
def test_what_is_wrong_stands_first_and_links_its_trace(tmp_path, kind, capsys, monkeypatch):
    ran, said = red(tmp_path, kind)
    page = write_report(ran.report, INFO, tmp_path / "report").read_text(encoding="utf-8")
    head = page[page.index("<header") : page.index("</header>")]
    assert said in head, "what is wrong is the first thing on the page"
    assert page.index(said) < page.index("<nav")
    assert '<a href="#model-algorithm">' in head
    links = re.findall(r'href="(traces/algorithm[^"]+)"', head)
    assert bool(links) == (kind != "a pin"), "of a count there is no trace"
    for link in links:
        trace = (tmp_path / "report" / link).read_text(encoding="utf-8")
        assert "<svg" in trace
        if kind == "a Python method":
            assert "step 4: spec and implementation differ by AcceptMarker" in trace
            assert "closed: the spec has" in trace or "recState: the spec has" in trace
            assert "Conformance is violated" in trace or "Conformance</strong> is violated" in trace

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_summary(ran.report, 12.0)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 80
    assert said.split()[0] in " ".join(lines)
    assert " ".join(said.split()) in " ".join(" ".join(lines).split())


def test_a_run_that_breaks_off_says_so_and_keeps_what_it_has(tmp_path):
    kept = tmp_path / "jobs"
    kept.mkdir()
    (kept / "1.json").write_text("[]", encoding="utf-8")

    def breaks():
        with unfinished("plan", NOON, tmp_path / "report"):
            raise ToolError("Java <died>", hint="run `pyharness doctor`")

    with pytest.raises(ToolError):
        breaks()
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "<title>INCOMPLETE" in page
    assert "The run broke off, so there is no verdict. Java &lt;died&gt;" in page
    assert "run `pyharness doctor`" in page
    assert (kept / "1.json").exists()


def test_one_typo_is_one_error_however_many_models_meet_it(tmp_path):
    typo = {"outcome": "PARSE_ERROR", "detail": "line 63, col 1 to line 63, col 9 of module ChandyLamport"}
    unread = {"runs": [RUN | typo], "traces": [], "reorderings": [], "kills": [], "replays": []}
    ran = run(tmp_path, algorithm=unread, mutants_late_turn=unread)
    found = cases(ran.report, 12.0)
    errors = [case for case in found if case.red and not case.consequence]
    assert len([case for case in errors if "ChandyLamport.tla:63" in " ".join(case.reasons)]) == 1
    assert len([line for line in annotation_lines(errors) if "line=63" in line]) == 1
