"""A verdict needs evidence: what did nothing is incomplete, one difference is enough."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.cli.main import cli
from pyharness.lab.real_systems.all_systems import SYSTEMS
from pyharness.lab.real_systems.held_rules import Held, Rule, held_of_document, matrix_page


def held(checks, did=1):
    rule = Rule("cut", "it is one", "A1")
    for found in checks:
        rule.check("batch 1", found, 0)
    return Held("spark-batches", "pyspark 0", "pyharness systems spark-batches", {"kills": did}, [rule])


@pytest.mark.parametrize(
    ("found", "code"),
    [(held([0]), 0), (held([]), 3), (held([0], did=0), 3), (held([0, 1]), 1), (held([1], did=0), 1)],
)
def test_the_verdict(found, code):
    assert found.exit_code == code
    assert held_of_document(json.loads(json.dumps(found.to_document())), "x") == found
    assert ("missing" in found.text()) == bool(found.missing)


@pytest.mark.parametrize(
    "document", [{}, {"format": "other"}, {"format": "pyharness-systems/1", "rules": [{}]}]
)
def test_a_document_of_others_is_refused(document):
    with pytest.raises(SpecError, match=r"x: "):
        held_of_document(document, "x")


def test_the_page_has_each_rule_and_its_differences():
    page = matrix_page([held([0, 7])])
    assert "| spark-batches | cut | A1 | it is one | 2 | 1 |" in page
    assert "differs, cut: batch 1: 7, and not 0" in page
    assert "- 1 kills" in page


def run(*arguments):
    return CliRunner().invoke(cli, ["systems", *arguments])


def test_kept_results_are_shown_and_become_a_page(tmp_path):
    (tmp_path / "spark-batches.json").write_text(json.dumps(held([0, 7]).to_document()), encoding="utf-8")
    shown = run("--out", str(tmp_path), "--page", str(tmp_path / "page.md"))
    assert shown.exit_code == 1
    assert "nonconformance" in shown.output
    assert "spark-batches" in (tmp_path / "page.md").read_text(encoding="utf-8")
    assert run("--out", str(tmp_path / "none")).exit_code == 3


def test_what_a_system_does_not_take_is_refused(tmp_path):
    refused = run("spark-batches", "--crashes", "3", "--out", str(tmp_path))
    assert refused.exit_code == 2
    assert "--kills" in refused.output
    assert not list(tmp_path.iterdir())


def test_a_run_without_a_kill_is_incomplete(tmp_path):
    found = SYSTEMS["spark-batches"].hold(1, {"kills": 0}, tmp_path, print)
    assert found.exit_code == 3
