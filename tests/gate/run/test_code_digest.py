"""The ids of jobs: a changed line in a module changes those of the jobs that run it, and no others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import pyharness
from pyharness.base.toolchain import code_digest as digests
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.jobs import ALONE, CODE, example_jobs, plan_jobs
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import Tools

PACKAGE = Path(pyharness.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
KINDS = sorted(CODE)
MARKERS, CHECKPOINTS = "four-channels", "abort-racing-cancel"
"""Worked examples, of ChandyLamport and of Checkpoints."""
NEVER = ("pyharness.show.", "pyharness.cli.", "pyharness.gate.judge.", "pyharness.gate.pipeline.")
"""Packages that no job runs, but for the modules of ``ALONE``: an edit there takes over every kept result."""


def name(path):
    parts = ("pyharness", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="module")
def loaded():
    """The modules that Python has loaded after it imported those of a job of each kind."""

    def of(kind):
        lines = [f"import {module}" for module in CODE[kind]]
        lines += [
            "import json, sys",
            "print(json.dumps([m for m in sys.modules if m.startswith('pyharness')]))",
        ]
        told = subprocess.run(
            [sys.executable, "-c", "; ".join(lines)], capture_output=True, text=True, check=True
        )
        return set(json.loads(told.stdout))

    return {kind: of(kind) for kind in KINDS}


@pytest.fixture(scope="module")
def ids_after(tmp_path_factory):
    """For each module, the kinds whose digests change when a line of it does."""
    copy = tmp_path_factory.mktemp("tree") / "pyharness"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    patch = pytest.MonkeyPatch()
    patch.setattr(digests, "_ROOT", copy)
    digests.imported_modules.cache_clear()
    known, read = {}, digests._file_digest
    patch.setattr(digests, "_file_digest", lambda path: known.get(path) or known.setdefault(path, read(path)))
    patch.setattr(digests, "code_files", cache(digests.code_files))  # a comment imports nothing

    def ids():
        return {kind: digests.code_digest(*CODE[kind], alone=ALONE) for kind in KINDS}

    before, found = ids(), {}
    for path in MODULES:
        changed = copy / path.relative_to(PACKAGE)
        text = changed.read_text(encoding="utf-8")
        changed.write_text(text + "# another line\n", encoding="utf-8")
        known.pop(changed, None)
        after = ids()
        found[name(path)] = {kind for kind in KINDS if after[kind] != before[kind]}
        changed.write_text(text, encoding="utf-8")
        known.pop(changed, None)
    assert ids() == before
    patch.undo()
    digests.imported_modules.cache_clear()
    return found


@pytest.mark.slow
def test_a_module_changes_the_ids_of_the_jobs_that_load_it_and_no_others(loaded, ids_after):
    """One test, for `ids_after` takes seconds, and each process of the tests would make it."""
    for kind in KINDS:
        unseen = {module for module in loaded[kind] if kind not in ids_after[module]}
        assert unseen <= {"pyharness.__init__"}, kind
        assert len(loaded[kind]) > 10, kind
    for module, kinds in ids_after.items():
        if module.startswith(NEVER) and module not in ALONE:
            assert not kinds, module
    for package in NEVER:
        assert any(module.startswith(package) for module in ids_after), package
    of_python = {"explore", "conform", "replay", "reorder", "example", "log"}
    assert ids_after["pyharness.machines.protocols.markers.chandy_lamport"] == of_python
    assert ids_after["pyharness.hold.conformance.comparison"] == {"conform"}
    assert ids_after["pyharness.base.topology.digraph"] == set(KINDS) - {"spec"}
    assert ids_after["pyharness.tla.tlc.digest"] >= {"check", "simulate", "conform", "reorder", "example"}
    assert ids_after["pyharness.gate.jobs.reordering_rows"] == {"reorder"}
    assert ids_after["pyharness.models.spec_check"] == {"spec"}
    assert ids_after["pyharness.gate.jobs.example_check"] == {"example"}
    for module in ALONE:
        assert ids_after[module] == set(KINDS), module


def test_the_templates_of_a_room_count_for_the_jobs_that_use_the_room(tmp_path, monkeypatch):
    copy = tmp_path / "pyharness"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digests, "_ROOT", copy)
    digests.imported_modules.cache_clear()
    before = digests.code_digest(*CODE["check"], alone=ALONE)
    for template, counts in (
        ("show/report/run/templates/run.html.jinja", False),
        ("models/templates/model.tla.jinja", True),
    ):
        (copy / template).write_text("changed", encoding="utf-8")
        assert (digests.code_digest(*CODE["check"], alone=ALONE) != before) == counts, template
    digests.imported_modules.cache_clear()


@pytest.mark.parametrize("data", ["machines/protocols/markers/table.toml", "models/templates/own.txt"])
def test_a_file_of_any_other_kind_in_a_room_counts_as_data(tmp_path, monkeypatch, data):
    copy = tmp_path / "pyharness"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digests, "_ROOT", copy)

    def now():
        digests.imported_modules.cache_clear()
        digests._data.cache_clear()
        return digests.code_digest(*CODE["conform"], alone=ALONE)

    before = now()
    (copy / "tla" / "__pycache__").mkdir()
    (copy / "tla" / "__pycache__" / "render.pyc").write_bytes(b"compiled")
    assert now() == before
    (copy / data).write_text("1", encoding="utf-8")
    one = now()
    (copy / data).write_text("2", encoding="utf-8")
    assert len({before, one, now()}) == 3
    digests.imported_modules.cache_clear()


def test_the_page_of_a_trace_is_made_anew_with_another_script_or_style(tmp_path, monkeypatch):
    copy = tmp_path / "pyharness"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digests, "_ROOT", copy)
    digests.imported_modules.cache_clear()
    found = set()
    for name in ("trace.html.jinja", "trace.js", "trace.css", "diagram.css"):
        path = copy / "show" / "report" / "trace" / "templates" / name
        path.write_text("changed", encoding="utf-8")
        found.add(digests.code_digest("pyharness.show.report.trace.trace_page"))
    assert len(found) == 4
    digests.imported_modules.cache_clear()


BEGINS_AS_BEFORE = ("\nInit ==\n", "\nInit ==\n  /\\ TRUE\n")


def test_ids_change_with_the_specs_with_tlc_and_with_java(tmp_path):
    text = 'format = "pyharness-plan/1"\n[[model]]\nname = "tiny"\nspec = "ChandyLamport"\n'
    text += 'topologies = [{ processes = 2 }]\ninvariants = ["TypeOK"]\nexplore = true\n'
    text = text.replace("\n", "\nexamples = true\n", 1)
    specs, path = tmp_path / "specs", tmp_path / "plan.toml"
    shutil.copytree(SPECS, specs)
    path.write_text(text, encoding="utf-8")
    tools = Tools(Path("java"), Path("jar"), "0" * 64, (specs,), (), "17.0.1")

    def ids(tools=tools):
        plan = read_plan(path, specs)
        examples = {job.name: job.id for job in example_jobs(plan, tools)}
        return examples | {job.kind: job.id for job in plan_jobs(plan, tools)}

    def changed(tools=tools):
        after = ids(tools)
        return {name for name in before if after[name] != before[name]}

    before = ids()
    assert set(before) > {"check", "explore", CHECKPOINTS, MARKERS}
    for other in (replace(tools, jar_sha256="1" * 64), replace(tools, java_version="17.0.2")):
        assert changed(other) == set(before) - {"explore"}
    assert ids(replace(tools, java=Path("elsewhere/java"))) == before
    file = specs / "ChandyLamport.tla"
    original = file.read_text(encoding="utf-8")
    file.write_text(original + "\n", encoding="utf-8")
    assert changed() == set()
    file.write_text(original.replace(*BEGINS_AS_BEFORE), encoding="utf-8")
    assert changed() >= {"check", MARKERS}
    file.write_text(original, encoding="utf-8")
    file = specs / "examples" / f"{MARKERS}.toml"
    original = file.read_text(encoding="utf-8")
    file.write_text(original + "\n", encoding="utf-8")
    assert changed() == {MARKERS}
    file.write_text(original, encoding="utf-8")
    file = specs / "Checkpoints.tla"
    file.write_text(file.read_text(encoding="utf-8").replace(*BEGINS_AS_BEFORE), encoding="utf-8")
    assert CHECKPOINTS in changed()
    assert not changed() & {"check", "explore", MARKERS}
