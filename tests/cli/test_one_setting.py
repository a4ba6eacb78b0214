"""Each command that asks about a spec has the same defaults and refusals."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.gate.plans.requested_model import protocol_model
from tests.command import run

OF_AN_IMPLEMENTATION = ("hold python", "states", "explore")
WRONG = [
    (["ChandyLamport", "--constant", "Records=2"], "no constant of ChandyLamport 'Records'"),
    (["AlignedBarriers", "--constant", "Records=two"], "Records is a number, not 'two'"),
    (["Checkpoints", "--constant", "Mode=unalinged"], "no Mode 'unalinged'"),
    (["AlignedBarriers", "--constant", "Records"], "'Records' is not NAME=VALUE"),
    (["AlignedBarriers", "--items", "3"], "AlignedBarriers has records"),
    (["ChandyLamport:LateTrun"], "no mutant of ChandyLamport 'LateTrun'"),
    (["ChandyLamport:"], "'ChandyLamport:' names no mutant"),
]


@pytest.mark.parametrize("command", [*OF_AN_IMPLEMENTATION, "check", "plan model"])
@pytest.mark.parametrize(("asked", "said"), WRONG, ids=[" ".join(case[0]) for case in WRONG])
def test_what_does_not_fit_is_refused_in_the_same_words(command, asked, said):
    graph = "join:3" if "ChandyLamport" not in asked[0] else "ring:2"
    result = run(*command.split(), *asked, "--topology", graph)
    assert (result.exit_code, said in result.output) == (2, True), result.output


@pytest.mark.parametrize("given", [{"items": 2}, {"placement": "any"}], ids=str)
def test_a_spec_with_records_has_no_items(given):
    with pytest.raises(SpecError, match="AlignedBarriers has records"):
        protocol_model("AlignedBarriers", **given)


def test_a_predicate_is_of_a_spec_that_tests_one():
    assert protocol_model("Collection").predicate == "Terminated"
    with pytest.raises(SpecError, match="ChandyLamport tests no predicate"):
        protocol_model("ChandyLamport", predicate="Terminated")
