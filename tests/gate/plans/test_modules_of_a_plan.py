"""Models of a plan that name a module: any module with its own configuration, checked, judged and told as models are."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.jobs.job_store import is_finished
from pyharness.gate.jobs.jobs import module_jobs
from pyharness.gate.jobs.module_rows import module_rows
from pyharness.gate.judge.judgement import judge, uncaught
from pyharness.gate.judge.plan_report import ModuleReport, evidence_for
from pyharness.gate.pipeline import stages
from pyharness.gate.plans.claims import read_claims
from pyharness.gate.plans.plan import read_plan
from pyharness.models.checked_texts import asks_of
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import RunRow, TraceRow, rows_of
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.plain_model import read_model
from tests.long import LONG
from tests.table_rows import made

PLAN = 'format = "pyharness-plan/1"\n'
MODEL = """
[[model]]
name = "tiny"
spec = "WhiteRed"
topologies = ["ring:2"]
invariants = ["TypeOK"]
"""
MUTEX = 'name = "mutex"\nmodule = "Mutex.tla"'
TRANSLATED = 'name = "it"\nmodule = "Translated.tla"'
COUNTER = 'name = "it"\nmodule = "Counter.tla"\n'
ODD = 'name = "it"\nmodule = "Odd.tla"\nconfig = '
PINNED = 'pins = { distinct = 20, depth = 7, asks = "@" }'
CAUGHT = 'expect = "violation"\ncaught_by = '


@pytest.fixture
def place(tmp_path):
    for path in (Path(__file__).parents[2] / "models" / "specs").iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    return tmp_path


def written(place, *tables, head=PLAN):
    path = place / "own.toml"
    path.write_text(head + "".join(f"\n[[model]]\n{table}\n" for table in tables), encoding="utf-8")
    return path


def plan(place, *tables, head=PLAN):
    return read_plan(written(place, *tables, head=head), SPECS)


# -- what a plan may say -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "said", "line"),
    [
        ('module = "Mutex.tla"', "name: is missing", 3),
        ('name = "mutex"', "spec: is missing", 3),
        (f'{MUTEX}\nconfg = "x"', "no such key", 6),
        ('name = "Mutex"\nmodule = "Mutex.tla"', "lower-case words", 4),
        ('name = "it"\nmodule = "Mutx.tla"', "not there", 5),
        ('name = "it"\nmodule = "Mutex.cfg"', "FOO.tla", 5),
        (f'{MUTEX}\ntopologies = ["ring:2"]', "no such key", 6),
        ('name = "it"\nmodule = "/etc/Mutex.tla"', "relative to the plan", 5),
        ('name = "it"\nmodule = "linked.tla"', "is a link", 5),
        ('name = "it"\nmodule = "pipe.tla"', "no file of its kind", 5),
        (f'{MUTEX}\nconfig = "none.cfg"', "not there", 6),
        (f'{MUTEX}\nconfig = "linked.cfg"', "is a link", 6),
        (f'{MUTEX}\nlibraries = ["none"]', "not there", 6),
        (f'{MUTEX}\nlibraries = "none"', "must be a list", 6),
        (f"{MUTEX}\nconstants = {{ N = [1] }}", "a value of TLA", 6),
        (f'{MUTEX}\nstrict = "yes"', "true or false", 6),
        (f"{MUTEX}\nseconds = 3", "no such key", 6),
        (f'{MUTEX}\nexpect = "deadlock"', "(?s)'deadlock'.*there are pass, violation", 6),
        (f'{MUTEX}\nexpect = "violation"', "violated first", 3),
        (f'{MUTEX}\n{CAUGHT}["Exclusion", "Enters"]', "violated first", 7),
        (f'{MUTEX}\ncaught_by = ["Exclusion"]', "goes with expect", 6),
        (f'{MUTEX}\n{CAUGHT}["Exclusion"]\npins = {{ distinct = 1 }}', "no counts to pin", 8),
        (f"{MUTEX}\npins = {{ distinct = 1, transitions = 1 }}", "with graphs", 6),
        (f"{MUTEX}\n[[model]]\n{MUTEX}", "another model", 7),
    ],
)
def test_a_table_that_is_wrong_is_said_to_be_at_its_line(table, said, line, place):
    (place / "linked.tla").symlink_to("Mutex.tla")
    (place / "linked.cfg").symlink_to("Mutex.cfg")
    (place / "pipe.tla").mkdir()
    with pytest.raises(SpecError, match=said) as error:
        plan(place, table)
    assert error.value.where == f"own.toml:{line}"
    assert error.value.exit_code == 2


def test_a_plan_needs_a_model_or_a_spec_and_no_more(place):
    assert plan(place, MUTEX).names == ("mutex",)
    with pytest.raises(SpecError, match="checks nothing"):
        plan(place)
    with pytest.raises(SpecError, match="another model"):
        plan(place, 'name = "tiny"\nmodule = "Mutex.tla"', head=PLAN + MODEL)


def test_the_list_of_a_plan_has_its_specs(place):
    found = CliRunner().invoke(
        cli, ["check", str(written(place, MUTEX, f'{TRANSLATED}\n{CAUGHT}["Counted"]')), "--list"]
    )
    assert [line.split() for line in found.stdout.splitlines()] == [
        ["mutex", "Mutex", "pass"],
        ["it", "Translated", "violation", "of", "Counted"],
    ]


# -- what a result depends on ------------------------------------------------------------------------------------------


def jobs(place, *tables):
    return module_jobs(plan(place, *tables).modules, Library(SPECS), find_tools())


@pytest.mark.tlc
def test_a_job_is_named_by_the_texts_and_by_what_is_asked_of_tlc(place):
    two = (f"{COUNTER}constants = {{ Most = 3 }}", 'name = "clock"\nmodule = "Minutes.tla"')
    counter, _ = before = jobs(place, *two)
    assert jobs(place, *two) == before

    def changed(path, old, new):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new), encoding="utf-8")
        found = [one.id != was.id for one, was in zip(jobs(place, *two), before, strict=True)]
        path.write_text(text, encoding="utf-8")
        return found

    assert changed(place / "Counter.tla", "n > Most /\\ n' = 0", "n > Most /\\ n' = 1") == [True, False]
    assert changed(place / "Clock.tla", "% 3", "% 4") == [False, True]  # which Minutes instances
    assert changed(place / "Minutes.cfg", "SPECIFICATION Spec", "SPECIFICATION  Hours!Spec") == [False, True]
    for table in ("strict = true", "budget = { seconds = 9 }", 'properties = ["Ends"]'):
        assert jobs(place, f"{two[0]}\n{table}")[0].id != counter.id
    assert jobs(place, f"{COUNTER}constants = {{ Most = 4 }}")[0].id != counter.id
    for table in ("pins = { distinct = 4 }", f'{CAUGHT}["Ends"]'):  # what is expected is judged anew
        assert jobs(place, f"{two[0]}\n{table}")[0].id == counter.id


# -- verdicts ----------------------------------------------------------------------------------------------------------


def reported(source, rows, *failures):
    evidence = evidence_for(source, Library(SPECS), rows, failures)
    return ModuleReport(source, *judge(source, evidence), evidence)


def judged(place, table):
    (job,) = jobs(place, table)
    rows = module_rows(job, find_tools())
    return reported(job.model, rows), rows


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("table", "verdict", "said"),
    [
        (MUTEX, "incomplete", "no pins; measured: pins = { distinct = 20, depth = 7, asks = "),
        (f"{MUTEX}\n{PINNED}", "pass", ""),
        (f"{MUTEX}\npins = {{ distinct = 20, depth = 7 }}", "incomplete", "not all counts are pinned"),
        (f"{MUTEX}\n{PINNED}".replace("20", "21"), "incomplete", "20 distinct states, pinned are 21"),
        (f"{MUTEX}\n{PINNED}".replace("= 7", "= 8"), "incomplete", "the depth is 7, pinned is 8"),
        (f'{MUTEX}\n{CAUGHT}["Exclusion"]', "violation", "that Exclusion is violated: nothing in 20 states violates it"),
        (f'{TRANSLATED}\n{CAUGHT}["Counted"]', "pass", ""),
        (f'{TRANSLATED}\n{CAUGHT}["deadlock"]', "violation", "that deadlock is violated: nothing in"),
        (TRANSLATED, "violation", "Counted: Invariant Counted is violated"),
        pytest.param(f'{ODD}"dead.cfg"\n{CAUGHT}["deadlock"]', "pass", "", marks=LONG),
        pytest.param(f'{ODD}"asserted.cfg"\n{CAUGHT}["assertion failed"]', "pass", "", marks=LONG),
        (f'name = "it"\nmodule = "False.tla"\n{CAUGHT}["assumption false"]', "pass", ""),
        pytest.param(f'{ODD}"dead.cfg"', "violation", "deadlock", marks=LONG),
        pytest.param(f"{COUNTER}constants = {{ Most = 3 }}", "incomplete", "no pins; measured", marks=LONG),
        pytest.param(f"{COUNTER}constants = {{ Most = 3 }}\nstrict = true", "incomplete", "never taken or reached: Back",
            marks=LONG),
        (COUNTER, "spec error", "Most has no value"),
        (f"{COUNTER}constants = {{ Mst = 3 }}", "spec error", "Mst"),
        (f'{MUTEX}\nproperties = ["Exclusive"]', "spec error", "no property 'Exclusive'"),
        pytest.param(f'{COUNTER}config = "late.cfg"', "incomplete", "no premise is ever reached", marks=LONG),
        (f'{COUNTER}config = "nothing.cfg"', "incomplete", "no deadlock is looked for"),
        (f'{COUNTER}config = "nothing.cfg"\n{CAUGHT}["Late"]', "incomplete", "no deadlock is looked for"),
        ('name = "it"\nmodule = "Broken.tla"', "spec error", "Broken.tla:4:1"),
        (f"{COUNTER}constants = {{ Most = 99999999 }}\nbudget = {{ seconds = 1 }}", "incomplete", "time was up"),
        pytest.param(f"{COUNTER}constants = {{ Most = 99999999 }}\nbudget = {{ seconds = 60, cpu_seconds = 2 }}",
            "incomplete", "", marks=LONG),
    ],
)  # fmt: skip
def test_a_verdict_is_what_was_found_held_against_the_plan(table, verdict, said, place):
    constant = "CONSTANT Most = 3\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n"
    (place / "late.cfg").write_text(f"{constant}INVARIANT Late\n", encoding="utf-8")
    (place / "nothing.cfg").write_text(constant, encoding="utf-8")
    (place / "dead.cfg").write_text("SPECIFICATION Spec\n", encoding="utf-8")
    (place / "asserted.cfg").write_text("SPECIFICATION Spec\nINVARIANT Asserted\n", encoding="utf-8")
    (place / "False.tla").write_text("---- MODULE False ----\nASSUME FALSE\n====\n", encoding="utf-8")
    (place / "False.cfg").write_text("", encoding="utf-8")
    (place / "Broken.tla").write_text(
        "---- MODULE Broken ----\nVARIABLE n\nInit == n =\n====\n", encoding="utf-8"
    )
    report, rows = judged(place, table.replace("@", asked_of(place / "Mutex.tla")))
    assert report.verdict.text == verdict
    assert said in "\n".join(report.reasons)
    assert bool(report.reasons) == (verdict != "pass")
    assert bool(rows_of(TraceRow, rows)) == any(name in table for name in ("Translated", "dead.cfg"))
    if rows[0].verdict is Verdict.INCOMPLETE:
        assert not is_finished(rows)


ENDED = {"kind": "check", "exit_status": 0, "finished": True, "distinct": 20, "depth": 7}
ROW = made(RunRow, ENDED | {"evaluated": ("TypeOK", "Exclusion"), "asks": "@"})


def asked_of(module, *, strict=False):
    return asks_of(read_model(module), strict=strict)


def edited(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("Mutex.cfg", "Exclusion", ""),
        ("Mutex.tla", 'Exclusion == ~(pc[0] = "inside"', 'Exclusion == ~(pc[0] = "inside" /\\ flag[0]'),
        ("Mutex.tla", "WF_vars(Yield(p) \\/", "SF_vars(Yield(p) \\/"),
        ("Mutex.cfg", "SPECIFICATION", "CONSTRAINT TypeOK\nSPECIFICATION"),
        ("Mutex.cfg", "SPECIFICATION", "CONSTANT Flagged <- Init\nSPECIFICATION"),
    ],
)
def test_less_that_is_asked_of_a_module_is_not_as_pinned(place, file, old, new):
    """A shorter configuration and a property that says less have the same counts."""
    before = asked_of(place / "Mutex.tla")
    with (place / "Mutex.tla").open("a", encoding="utf-8") as text:
        text.write("\\* a line more\n")
    assert asked_of(place / "Mutex.tla") == before
    assert asked_of(place / "Mutex.tla", strict=True) != before
    edited(place / file, old, new)
    assert asked_of(place / "Mutex.tla") != before


@pytest.mark.parametrize(("key", "name"), [("CONSTRAINT", "Near"), ("CONSTANT", "Exclusion <- Near")])
def test_the_texts_that_a_configuration_names_are_pinned(place, key, name):
    edited(place / "Mutex.cfg", "SPECIFICATION", f"{key} {name}\nSPECIFICATION")
    edited(place / "Mutex.tla", "Exclusion ==", "Near == turn \\in Process\nExclusion ==")
    before = asked_of(place / "Mutex.tla")
    edited(place / "Mutex.tla", "Near == turn", "Near == 1 = 1 \\/ turn")
    assert asked_of(place / "Mutex.tla") != before


def test_fairness_in_a_specification_of_another_form_is_pinned(place):
    edited(place / "Mutex.tla", "Spec == Init /\\ [][Next]_vars", "Spec == TRUE => Init /\\ [][Next]_vars")
    before = asked_of(place / "Mutex.tla")
    edited(place / "Mutex.tla", "WF_vars(Yield(p) \\/", "SF_vars(Yield(p) \\/")
    assert asked_of(place / "Mutex.tla") != before


def test_what_asks_for_less_than_is_pinned_is_no_pass(place):
    (source,) = plan(place, f"{MUTEX}\n{PINNED}").modules
    assert reported(source, [ROW]).verdict is Verdict.PASS
    less = reported(source, [replace(ROW, asks="other")])
    assert less.verdict is Verdict.INCOMPLETE
    assert less.reasons == ("something else is asked than is pinned: TypeOK, Exclusion, as other and not @",)


def test_each_property_of_a_module_that_passes_is_violated_by_a_bug(place):
    tables = (f"{MUTEX}\n{PINNED}", f'{TRANSLATED}\n{CAUGHT}["Counted"]')
    read = plan(place, *tables)
    passes = reported(read.modules[0], [replace(ROW, evaluated=("Mutex.TypeOK", "Mutex.Counted"))])
    fails = reported(read.modules[1], [replace(ROW, evaluated=("Mutex.Counted",))])
    another = reported(read.modules[1], [replace(ROW, evaluated=("Translated.Counted",))])
    whole = replace(read, claims=read_claims(SPECS / "claims.toml"))
    assert uncaught(read, [passes, fails]) == []  # it need not show any claim
    assert uncaught(whole, [passes]) == []  # nor has it bugs
    assert uncaught(replace(whole, complete=False), [passes, fails]) == []
    (found,) = uncaught(whole, [passes, fails])
    assert found.startswith("Mutex.TypeOK of mutex catches no bug")
    assert (
        len(uncaught(whole, [passes, another])) == 2
    )  # a property of that name in another module is another one


def test_a_job_that_left_nothing_is_no_pass(place):
    (source,) = plan(place, MUTEX).modules
    assert reported(source, []).verdict is Verdict.INCOMPLETE
    lost = reported(source, [], "the machine was lost")
    assert (lost.verdict, lost.reasons[0]) == (Verdict.ERROR, "the machine was lost")


# -- the commands ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.tlc
@pytest.mark.usefixtures("spark_here")
def test_a_plan_of_specs_alone_is_run_told_kept_and_pinned(place, monkeypatch):
    out = place / "out"

    def run(command, *options, tables):
        path = written(place, *tables)
        return CliRunner().invoke(cli, [*command.split(), str(path), "--out", str(out), *options])

    def cases():
        found = ET.parse(out / "junit.xml").iter("testcase")  # noqa: S314 - our own
        return {case.get("name"): case for case in found if case.get("classname").endswith(".modules")}

    good = (MUTEX, f'{TRANSLATED}\n{CAUGHT}["Counted"]')
    found = run("check --ci", tables=good)
    assert found.exit_code == 3, found.output
    assert "no pins; measured" in found.output
    asks = asked_of(place / "Mutex.tla")
    assert run("plan pins", tables=good).exit_code == 3
    assert run("plan pins", "--update", tables=good).exit_code == 0
    pinned = f'pins = {{ distinct = 20, depth = 7, asks = "{asks}" }}'
    assert pinned in (place / "own.toml").read_text(encoding="utf-8")
    good = (f"{MUTEX}\n{pinned}", good[1])
    found = run("check --ci", tables=good)
    assert found.exit_code == 0, found.output
    assert "PASS: 2 modules without graphs, 20 states" in found.output
    assert cases()["mutex"].get("file").endswith("Mutex.tla")
    assert "| modules | 2 | 0 | 0 | 0 |" in (out / "summary.md").read_text(encoding="utf-8")
    page = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "modules without graphs" in page
    assert 'href="traces/it-counterexample-0.html"' in page
    trace = out / "report" / "traces" / "it-counterexample-0.html"
    assert "<table" in trace.read_text(encoding="utf-8")

    document = json.loads(run("check", "--json", tables=good).stdout)
    assert (document["jobs"], document["reused"]) == (2, 2)
    assert [each["distinct"] for each in document["models"]] == [20, 12]
    with monkeypatch.context() as patch:
        patch.setattr(stages, "uncaught", lambda *_: ["Mutex.TypeOK catches no bug"])
        found = run("check", "--json", tables=good)
    assert (found.exit_code, json.loads(found.stdout)["reasons"]) == (3, ["Mutex.TypeOK catches no bug"])
    assert (
        CliRunner().invoke(cli, ["plan", "pins", str(place / "own.toml"), "--out", str(out)]).exit_code == 0
    )

    with (place / "Translated.tla").open("a", encoding="utf-8") as file:
        file.write("\\* a line more\n")
    bad = (f"{MUTEX}\n{pinned}".replace("20", "21"), TRANSLATED)
    found = run("check --ci", "--annotations", tables=bad)
    assert found.exit_code == 1, found.output
    assert "(1 of 2 jobs taken over" in found.output
    assert f"::error file={place}/Translated.tla,line=49,title=modules%3A it::" in found.output
    assert f"::error file={place}/own.toml,line=4,title=modules%3A mutex::" in found.output
    assert (cases()["it"].find("failure") is not None, cases()["mutex"].find("error") is not None) == (
        True,
        True,
    )
    summary = (out / "summary.md").read_text(encoding="utf-8")
    assert "| mutex | 21 distinct states, depth 7, asks" in summary
    assert "Counted fails" in summary
    assert {path.name for path in (out / "failures").iterdir()} >= {"modules-it.html", "modules-it.itf.json"}
    found = run("check", "--only", "mutex", tables=good)
    assert (found.exit_code, "SELECTION PASS: 1 module without graphs" in found.output) == (0, True), (
        found.output
    )
