"""A name that does not exist: the message names the nearest, or all if they are few, and never a hundred."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError, nearest
from pyharness.cli import cli
from tests.shipped_plans import shipped_plan

MANY = [f"model-{number:03}" for number in range(100)]


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("kupr", ["kuper", "clairvoyant"], "did you mean kuper?"),
        ("KUPER", ["kuper"], "did you mean kuper?"),
        ("x", ["kuper"], "there is kuper"),
        ("x", ["kuper", "clairvoyant", "kuper"], "there are kuper, clairvoyant"),
        ("x", [], "there are none"),
        ("x", MANY, "there are 100, such as model-000, model-001, model-002, model-003, model-004"),
        ("model-0999", MANY, "did you mean model-099 or model-098 or model-097?"),
    ],
)
def test_the_hint(name, known, hint):
    assert nearest(name, known).startswith(hint.split(" or ")[0])
    assert len(nearest(name, known)) < 100
    error = SpecError.unknown("example", name, iter(known), where="here", otherwise="or name a file")
    assert str(error) == f"here: no example {name!r}\n  {nearest(name, known)}; or name a file"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["chekc"], "did you mean check?"),
        (["check", "quik"], "did you mean quick?"),
        (["check", "--only", "chandy-lamport-chian"], "did you mean chandy-lamport-chain"),
        (
            ["check", "--only", "chandy-lamport-chain", "--only", "nothing-*"],
            "no model of plan quick matches 'nothing-*'",
        ),
        (["model", "quick", "chandy-lamport-chian"], "did you mean chandy-lamport-chain"),
        (["example", "kupr"], "did you mean kuper?"),
        (["conform", "ChandyLamprt", "--topology", "2"], "did you mean ChandyLamport"),
        (["conform", "ChandyLamport:LateTrun", "--topology", "2"], "did you mean LateTurn"),
        (["states", "ChandyLamprt", "--topology", "n2-6-i1"], "did you mean ChandyLamport"),
        (["topologies", "3", "--family", "rign"], "did you mean ring?"),
    ],
)
def test_a_command_names_what_was_meant(words, hint):
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2, result.output
    assert hint in result.stderr
    assert len(result.stderr) < 400


def test_only_takes_several_patterns():
    from pyharness.cli.shared_options import chosen_names

    plan = shipped_plan("quick")
    names = [model.name for model in plan.models]
    assert chosen_names(plan, names, ()) == set(names)
    chosen = chosen_names(plan, names, ("chandy-lamport-chain", "*-full-actions"))
    assert {"chandy-lamport-chain", "chandy-lamport-full-actions"} <= chosen
    assert all(name == "chandy-lamport-chain" or name.endswith("-full-actions") for name in chosen)
