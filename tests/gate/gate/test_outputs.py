"""What CI systems and people read: JUnit, annotations, the summary, the counterexamples' files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itf_py import trace_from_json
from junitparser import Error, Failure, Skipped
from junitparser.xunit2 import JUnitXml
from markdown_it import MarkdownIt

from pyharness.base.toolchain.clean_text import clean
from pyharness.cli.run_summary import closing_line
from pyharness.gate.judge.judgement import PinRow, pin_rows
from pyharness.gate.judge.result_cases import Case, Status, cases
from pyharness.gate.plans.source_places import Place
from pyharness.models.bounds import Pins
from pyharness.models.table_rows import TraceRow
from pyharness.show.report.ci import gate_summary as summaries
from pyharness.show.report.ci.annotations import annotation_lines
from pyharness.show.report.ci.failures import SUFFIXES, write_failures
from pyharness.show.report.ci.gate_summary import error_summary, gate_summary
from pyharness.show.report.ci.junit import to_junit
from pyharness.show.report.formats.export_formats import FORMATS
from tests.gate.gate.gate_reports import ITF, SABOTAGES, run, violation
from tests.table_rows import made

HOSTILE = [
    "<script>alert(1)</script>",
    "a | b `c` [d](javascript:e) *f* # 12 @someone",
    "\"quotes\" 'and' ]]> & &amp; <!--",
    "\x00\x1b[31m\x08\ufffe\ud800",
    "\u202eright to left\u2066",
    "two\r\nlines\n::error::no\n\n# heading",
    "long " * 5000,
]


def junit(text):
    return JUnitXml.fromstring(text.encode())


def summary_of(ran, traces=None):
    found = cases(ran.report, ran.seconds)
    closing = closing_line(ran.report, ran.seconds)
    return gate_summary(
        ran.report.plan.name,
        ran.report.verdict.text,
        closing,
        found,
        traces=traces or {},
        pins=pin_rows(ran.report),
    )


# -- JUnit -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sabotage", [None, *SABOTAGES])
def test_junit_counts_what_the_cases_are(tmp_path, sabotage):
    ran = run(tmp_path, **(SABOTAGES[sabotage][0] if sabotage else {}))
    found = cases(ran.report, ran.seconds)
    read = junit(to_junit("plan", found))
    kinds = {Status.FAILURE: Failure, Status.ERROR: Error, Status.SKIPPED: Skipped}
    written = {(suite.name, case.name): case for suite in read for case in suite}
    assert len(written) == len(found) == read.tests
    for case in found:
        results = [type(result) for result in written[case.suite, case.name].result]
        assert results == ([kinds[case.status]] if case.status in kinds else [])
    assert read.failures == sum(case.status is Status.FAILURE for case in found)
    assert read.errors == sum(case.status is Status.ERROR for case in found)
    assert (read.failures + read.errors == 0) == (sabotage is None)


@given(st.text(), st.text(), st.lists(st.text(), max_size=3), st.sampled_from(Status))
def test_junit_is_xml_whatever_the_names_are(suite, name, reasons, status):
    case = Case(suite, name, status, tuple(reasons), Place(name, 1), figures={name: suite})
    ((read,),) = junit(to_junit(name, [case]))
    assert len(read.result) == (status is not Status.PASSED)
    if name.isprintable():
        assert read.name == name


# -- annotations -----------------------------------------------------------------------------------------------


def test_a_violation_is_annotated_where_its_property_is_defined(tmp_path):
    ran = run(tmp_path, algorithm=violation("NoRedInWhite"))
    found = cases(ran.report, ran.seconds)
    (first, *_) = annotation_lines(found, {next(c for c in found if c.red): Path("f/x.txt")})
    line = next(c.place.line for c in found if c.name == "NoRedInWhite")
    assert first == (
        f"::error file=specs/ChandyLamport.tla,line={line},title=algorithm%3A NoRedInWhite::NoRedInWhite: Invariant "
        "NoRedInWhite is violated.%0A5 states show it, on n2-6-i1%0Atrace: f/x.txt"
    )


def test_a_green_run_has_no_annotations_and_a_change_is_a_warning(tmp_path):
    ran = run(tmp_path)
    assert list(annotation_lines(cases(ran.report, ran.seconds))) == []


@given(st.text(), st.text())
def test_nothing_in_an_annotation_begins_another_command(name, reason):
    (line,) = annotation_lines([Case(name, name, Status.ERROR, (reason,), Place(name, 3))])
    assert len(line.split("\n")) == 1
    assert "\r" not in line
    properties, _, message = line.removeprefix("::error ").partition("::")
    assert properties.count(",") == 2
    assert unescape(message) == harmless(reason)
    assert unescape(properties.split(",")[0]) == harmless(f"file={name}")


def harmless(text):
    """The text without escape sequences and the like; the ends of its lines are GitHub's to show."""
    return "\r".join(map(clean, text.split("\r")))


def unescape(text):
    return re.sub("%(25|0D|0A|3A|2C)", lambda match: chr(int(match[1], 16)), text)


# -- the summary -----------------------------------------------------------------------------------------------


def test_a_green_summary_says_so_and_has_no_failures(tmp_path):
    text = summary_of(run(tmp_path))
    assert text.startswith("# pyharness check, plan plan: PASS\n")
    assert "What failed" not in text
    assert "Pinned counts: 1 of 1 models are as pinned." in text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_harmless_in_the_summary(tmp_path, name):
    document = json.loads(ITF)
    document["#meta"] |= {"title": name, "violated": name, "spec": name, "mutant": name}
    for state in document["states"]:
        state["#meta"]["action"] = name
    case = Case(
        name, name, Status.FAILURE, (name,), Place(name, 1), made(TraceRow, {"itf": json.dumps(document)})
    )
    text = gate_summary(
        name,
        name,
        name,
        [case],
        traces={case: Path(name)},
        pins=[PinRow(name, Pins(1, 2), None)],
    ) + error_summary(name, name)
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<script" not in html
    assert "<a " not in html
    assert "<em>" not in html
    assert "@someone" not in re.sub("(?s)<pre>.*?</pre>", "", html)
    assert html.count("<h1>") == 2
    readable = "\ud800" not in name  # a trace with half a character is refused, and the summary goes without
    assert html.count("<h2>") == 2 + readable
    assert html.count("<details>") == html.count("</details>") == readable
    failed = html.partition("<tbody>")[2].partition("</tbody>")[0]
    assert failed.count("<tr>") == 1
    assert failed.count("<td>") == 5


# -- counterexamples -------------------------------------------------------------------------------------------


def test_counterexamples_are_text_and_itf_that_others_read(tmp_path):
    ran = run(tmp_path, algorithm=violation("NoRedInWhite"))
    written = write_failures(cases(ran.report, ran.seconds), tmp_path / "failures")
    names = sorted(path.name for path in (tmp_path / "failures").iterdir())
    assert names == sorted(f"algorithm-NoRedInWhite{suffix}" for suffix in SUFFIXES)
    (path,) = written.values()
    assert "<svg" in path.read_text(encoding="utf-8")
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    assert text.startswith(
        "algorithm: NoRedInWhite\n\nAt step 5 P2, in the very action in which it records, accepts"
    )
    assert "\n\n1. Init\n" in text
    assert len(trace_from_json(json.loads(path.with_suffix(".itf.json").read_text())).states) == 5


def test_a_picture_that_cannot_be_drawn_does_not_take_the_verdict_s_place(tmp_path, monkeypatch, capsys):
    def broken(_trace, _meta):
        raise ValueError("no lanes")

    def broken_text(_name, trace, meta):
        return broken(trace, meta)

    monkeypatch.setitem(FORMATS, "html", broken)
    monkeypatch.setattr(summaries, "written", broken_text)
    ran = run(tmp_path, algorithm=violation("NoRedInWhite"))
    (path,) = write_failures(cases(ran.report, ran.seconds), tmp_path / "failures").values()
    assert path.name == "algorithm-NoRedInWhite.txt"
    assert "It is not shown here: 5 states." in summary_of(ran)
    assert "cannot be drawn: ValueError: no lanes" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*HOSTILE, "../../etc/passwd", "", ".", "CON"])
def test_hostile_names_stay_in_the_directory(tmp_path, name):
    ran = run(tmp_path, algorithm=violation("NoRedInWhite"))
    case = next(c for c in cases(ran.report, ran.seconds) if c.trace is not None)
    twice = [replace(case, suite=name, name=name), replace(case, suite=name, name=name)]
    written = write_failures(twice, tmp_path / "failures")
    assert len({path.name for path in written.values()}) == 2
    for path in written.values():
        assert path.parent == tmp_path / "failures"
        assert re.fullmatch(r"[A-Za-z0-9-]{1,130}\.html", path.name)
