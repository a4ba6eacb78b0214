"""The report of a run: it has the result of the run, all of it, in every case, and never what an earlier run did."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pyharness.base.errors import SpecError, ToolError
from pyharness.cli.plan_run import leave_report, page_line, unfinished
from pyharness.gate.judge.claim_coverage import claim_rows, expected_evidence
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.show.report.run.report_contents import RunInfo
from pyharness.show.report.run.report_files import write_report
from tests.gate.gate.gate_reports import SABOTAGES, run, violation
from tests.shipped_plans import shipped_plan

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
INFO = RunInfo(NOON, 12.0, ("pyharness", "check", "a plan.toml"), {"TLC": "2.15", "Java": "21"})
HOSTILE = "<script>alert(1)</script>\"'&\u202e" + "x" * 400


def write(directory, ran, *, info=INFO):
    page = write_report(ran.report, info, directory / "report")
    return page.read_text(encoding="utf-8")


def title(text):
    return re.search("<title>(.*?)</title>", text)[1]


def test_a_pass_shows_its_evidence(tmp_path):
    text = write(tmp_path, run(tmp_path))
    assert title(text) == "PASS: plan, 2026-01-02 12:00 UTC"
    assert "Why it is not a pass" not in text
    for part in ("362", "NoRedInWhite", "n2-6-i1", "caught by SSSOccurs", "ChannelState", "2.15"):
        assert part in text
    assert "pyharness check &#39;a plan.toml&#39; --only algorithm --fresh" in text
    linked = set(re.findall(r'href="((?:traces/)[^"#]+)"', text))
    assert linked == {f"traces/{p.name}" for p in (tmp_path / "report" / "traces").iterdir()}
    assert "traces/ChandyLamport-LateTurn.html" in linked
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_no_broken_run_looks_like_a_pass(tmp_path, sabotage):
    changes, _, _, _ = SABOTAGES[sabotage]
    ran = run(tmp_path, **changes)
    text = write(tmp_path, ran)
    assert title(text).startswith(ran.report.verdict.text.upper())
    assert "PASS" not in title(text)
    top, _, rest = text.partition("<nav")
    assert f"<h1>{ran.report.verdict.text.capitalize()}</h1>" in top
    assert "Why it is not a pass" in top
    reasons = [*ran.report.reasons, *(reason for m in ran.report.models for reason in m.reasons)]
    assert all(reason.replace("'", "&#39;") in top for reason in reasons)
    assert "Every model has the result" not in rest


def test_the_page_of_a_selection_judges_no_claim(tmp_path):
    ran = run(tmp_path)
    quick = shipped_plan("quick")
    claim = claim_rows(quick.claims[:1], quick, expected_evidence(quick))[0]
    claims = (replace(claim, unproved=("something",)),)
    for whole in (True, False):
        plan = replace(ran.report.plan, complete=whole)
        text = write(tmp_path, replace(ran, report=replace(ran.report, plan=plan, claims=claims)))
        assert ("not checked:" in text) == whole
        assert ("are not judged here" in text) != whole


def test_the_same_run_gives_the_same_bytes(tmp_path):
    def files(name):
        write(tmp_path / name, ran)
        return {
            p.relative_to(tmp_path / name): p.read_bytes()
            for p in (tmp_path / name).rglob("*")
            if p.is_file()
        }

    ran = run(tmp_path)
    assert files("one") == files("two")


def test_hostile_names_are_text(tmp_path):
    late = violation("NoRedInWhite")["traces"]
    ran = run(
        tmp_path,
        failures={"algorithm": [HOSTILE]},
        examples=[{"example": HOSTILE, "verdict": "nonconformance", "message": HOSTILE}],
        no_state_that_occurred={"traces": [late[0] | {"violated": HOSTILE}], "topologies": []},
    )
    info = replace(INFO, command=("pyharness", "check", HOSTILE), versions={HOSTILE: HOSTILE})
    text = write(tmp_path, ran, info=info)
    assert "<script>alert" not in text
    assert text.count("<script>") == 1
    names = [path.name for path in (tmp_path / "report" / "traces").iterdir()]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,120}\.html", name) for name in names)


def test_a_trace_that_cannot_be_drawn_is_there_as_text(tmp_path, monkeypatch):
    def fail(*_):
        raise ValueError("no picture of <b>this</b>")

    monkeypatch.setitem(FORMATS, "html", fail)
    write(tmp_path, run(tmp_path))
    text = (tmp_path / "report" / "traces" / "ChandyLamport-LateTurn.html").read_text(encoding="utf-8")
    assert "no picture of &lt;b&gt;this" in text
    assert "AcceptMarker" in text


def test_an_earlier_report_is_gone_when_a_run_begins_and_when_it_breaks_off(tmp_path):
    report = tmp_path / "report"
    write(tmp_path, run(tmp_path))

    def begin_and_break_off():
        with unfinished("plan", NOON, report):
            assert title((report / "index.html").read_text(encoding="utf-8")).startswith("INCOMPLETE")
            assert [path.name for path in report.iterdir()] == ["index.html"]
            raise SpecError("a <b>wrong</b> plan")

    with pytest.raises(SpecError):
        begin_and_break_off()
    text = (report / "index.html").read_text(encoding="utf-8")
    assert title(text).startswith("INCOMPLETE")
    assert "broke off" in text
    assert "a &lt;b&gt;wrong" in text


def test_a_report_that_cannot_be_written_is_no_pass_and_leaves_what_is_there(tmp_path):
    ran = run(tmp_path)
    place = tmp_path / "file"
    place.write_text("", encoding="utf-8")
    for page in (
        leave_report(ran.report, INFO, place / "report"),
        leave_report(replace(ran.report, matrix=None), INFO, tmp_path / "report"),
    ):
        assert isinstance(page, ToolError)
        assert "cannot be written" in page_line(page)
        assert replace(ran, page=page).exit_code == ToolError.exit_code
    assert not (tmp_path / "report").exists()
    red = run(tmp_path, algorithm=violation("NoRedInWhite"))
    assert replace(red, page=page).exit_code == 1
    assert ran.exit_code == 0
