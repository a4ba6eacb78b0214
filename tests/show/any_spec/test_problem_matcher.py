"""The problem matcher of docs/how-to/check-any-spec.md reads what the command prints for an editor."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli.main import cli

PAGE = (ROOT / "docs" / "how-to" / "check-any-spec.md").read_text(encoding="utf-8")
TASK = json.loads(re.search(r"```json\n(\{\n  \"version\".*?)```", PAGE, re.DOTALL)[1])["tasks"][0]
PATTERN = TASK["problemMatcher"]["pattern"]


def problems(text):
    found = (re.match(PATTERN["regexp"], line) for line in text.splitlines())
    return [
        tuple(match[PATTERN[part]] for part in ("severity", "file", "line", "message"))
        for match in found
        if match
    ]


@pytest.mark.tlc
def test_a_violated_property_and_a_module_that_is_none_are_shown_at_their_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "---- MODULE Counting ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nUp == x < 3 /\\ x' = x + 1\n"
        "Never == x > 9 /\\ x' = x\nNext == Up \\/ Never\nSmall == x < 3\n====\n"
    )
    (tmp_path / "Counting.tla").write_text(text)
    (tmp_path / "Counting.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\n")
    words = [word.replace("${relativeFile}", "Counting.tla") for word in TASK["command"].split()[1:]]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 1, result.output
    found = problems(result.output)
    assert ("error", "Counting.tla", "8", "Invariant Small is violated.") in found
    (tmp_path / "Counting.tla").write_text(text.replace("x < 3\n====", "x <\n===="))
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert [(severity, file) for severity, file, *_ in problems(result.output)] == [("error", "Counting.tla")]
