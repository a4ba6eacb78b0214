"""What a run's report says of the tools that made it."""

from __future__ import annotations

from pathlib import Path

from pyharness.base.toolchain import Java
from pyharness.cli.plan_run import versions
from pyharness.models.machine_tools import Tools
from tests.gate.gate.gate_reports import run


def test_java_is_told_as_it_was_found_before_spark_set_a_home_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    found = Java(Path("/usr/bin/java"), "21.0.4", 21, "PATH")
    told = versions(Tools(Path(), Path(), "", ()), found, run(tmp_path).report)
    assert told["Java"] == "21.0.4, from PATH"
