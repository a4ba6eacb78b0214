"""`pyharness hold python`: what it prints, and the codes with which it ends."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from pyharness.cli.main import cli
from tests.hold.conformance.places import RING2


def run(*args):
    return CliRunner().invoke(cli, ["hold", "python", *args])


@pytest.mark.tlc
def test_the_command_says_what_differs_and_exits_with_1():
    good = run("ChandyLamport", "--topology", RING2.id, "--items", "1")
    assert good.exit_code == 0, good.output
    assert re.search(r"on 1 graph: \d\d states, \d\d transitions, 0 mismatches ", good.stdout)
    bad = run("ChandyLamport:LateTurn", "--topology", RING2.id, "--items", "1")
    assert bad.exit_code == 1
    assert "They differ first by AcceptMarker" in bad.stdout
    assert "2. Initiate" in bad.stdout
    assert "Only the spec then takes AcceptMarker to\n     chan[<<1, 2>>] = <<>>" in bad.stdout
    bounded = run("ChandyLamport", "--topology", RING2.id, "--items", "1", "--depth", "3")
    assert bounded.exit_code == 0
    assert "on 1 graph, behaviours of 3 states at most: " in bounded.stdout
    assert run("ChandyLamport", "--topology", RING2.id, "--items", "1", "--depth", "1").exit_code == 3
    reverse = ("--spec-mutant", "LateTurn", "--depth", "6", "--items", "1")
    bug = run("ChandyLamport", "--topology", RING2.id, *reverse)
    assert bug.exit_code == 1
    assert "2. Initiate" in bug.stdout


@pytest.mark.parametrize(
    "args",
    [
        ("ChandyLamport",),
        ("Nothing", "--topology", "2"),
        ("ChandyLamport:Nothing", "--topology", "2"),
        ("ChandyLamport:NoGuard", "--topology", "2"),
        ("ChandyLamport", "--topology", "nothing"),
        ("ChandyLamport", "--topology", "2", "--spec-mutant", "NoGuard"),
        ("ChandyLamport", "--topology", "2", "--items", "0"),
        ("ChandyLamport", "--topology", "2", "--depth", "0"),
    ],
)
def test_bad_input_exits_with_2(args):
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
