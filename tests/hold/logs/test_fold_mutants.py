"""The mutants of the fold: `make mutation` tries all; here, that the list fits, and that a rule left out is noticed."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.hold.logs.fold_mutants import EQUIVALENT, fold_mutants


def test_what_is_listed_as_equivalent_is_a_mutant():
    assert set(EQUIVALENT) <= {mutant.id for mutant in fold_mutants()}


def test_every_rule_that_is_refused_by_is_left_out_in_a_mutant():
    """A guard of a refusal, ``if ...: raise``, is one of the places that are changed."""
    left_out = [
        mutant for mutant in fold_mutants() if mutant.after == "pass" and mutant.before.startswith("if ")
    ]
    assert len(left_out) > 30


def test_a_rule_that_is_left_out_is_noticed():
    """In a process of its own, for it changes the fold."""
    program = """
import json, sys, tempfile
from pathlib import Path
from pyharness.mutants.code.code_mutants import swap
from tests.hold.logs.fold_mutants import ROOT, fold_mutants
from tests.hold.logs.log_battery import Battery
with tempfile.TemporaryDirectory() as scratch:
    battery = Battery(Path(scratch))
    before = battery.difference()
    mutant = next(m for m in fold_mutants() if m.after == "pass" and m.function == "Pauses.act")
    swap(mutant, ROOT, "pyharness.hold.logs", guards=True)
    print(json.dumps([before, battery.difference() is not None]))
"""
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert json.loads(told.stdout) == [None, True]
