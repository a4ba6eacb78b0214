"""docs/explanation/what-a-verdict-means.md says what the errors, the verdicts and the gate do."""

from __future__ import annotations

import re
import shlex

import pytest

from pyharness.base import errors
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.gate.jobs import spark_session
from pyharness.models.verdicts import Verdict
from tests.command import run
from tests.gate.gate.gate_reports import SABOTAGES

PAGE = (ROOT / "docs" / "explanation" / "what-a-verdict-means.md").read_text(encoding="utf-8")
ROWS = {
    int(cells[0]): cells[1:]
    for cells in (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.splitlines()
        if re.match(r"\| \d", line)
    )
}


def words(text):
    return {word.strip("` ") for word in text.split(",") if word.strip()}


def test_each_code_has_its_verdicts_and_its_errors():
    assert list(ROWS) == [0, 1, 2, 3, 4, 5]
    for code, (_, verdicts, raised, _, _) in ROWS.items():
        assert words(verdicts) == {verdict.text for verdict in Verdict if verdict.exit_code == code} | (
            {"error"} if code == 5 else set()
        )
        assert words(raised) == {name for name in errors.__all__ if getattr(errors, name).exit_code == code}


def test_the_order_of_the_verdicts_is_theirs():
    order = re.search(r"best to the worst: (.*?)\.", PAGE, re.DOTALL)[1].split()
    assert " ".join(order) == ", ".join(verdict.text for verdict in Verdict)


def test_the_gate_s_junit_is_as_the_table_says():
    for _, code, status, _ in SABOTAGES.values():
        assert ROWS[code][3].endswith(status)
    assert {code for _, code, _, _ in SABOTAGES.values()} == {1, 2, 3, 4}


@pytest.mark.parametrize("code", [code for code in ROWS if code != 5])  # no case of that is known
def test_the_example_of_each_code_ends_with_it(code, monkeypatch, tmp_path):
    """As in a new process, in which no session of Spark runs and no result is kept."""
    program, *arguments = shlex.split(ROWS[code][4].strip("`").replace("build/nowhere", str(tmp_path)))
    assert program == "pyharness"
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(spark_session, "_running", lambda: None)
    result = run(*arguments)
    assert result.exit_code == code, result.output
