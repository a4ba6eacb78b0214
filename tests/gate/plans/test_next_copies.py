"""Specs with observers name each action once more; none of the spec's actions may be missing there."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import SPECS

OBSERVED = {
    "ColouredCheckpoints": ("K", "Checkpoints", {"AcceptEnd", "EndSource", "Crash"}, set()),
    "Collection": ("C", "ChandyLamport", set(), {"Report", "Collect", "Conclude"}),
    "WhiteRedHistory": ("H", "WhiteRed", set(), set()),
}
"""A spec: the prefix of its actions, the spec that it extends, the actions that it leaves out, and its own."""


def disjuncts(spec, definition):
    """The actions of a next-state relation with their quantifiers, by name."""
    text = (SPECS / f"{spec}.tla").read_text(encoding="utf-8")
    body = re.search(rf"^{definition} ==\n((?:  \\/ .*\n)+)", text, re.MULTILINE)
    found = {}
    for line in body[1].splitlines():
        quantifiers, name, arguments = re.fullmatch(r"  \\/ (.*?)(\w+)(\([^:]*\))?", line).groups()
        found[name] = (quantifiers, arguments)
    return found


@pytest.mark.parametrize("spec", OBSERVED)
def test_an_observed_spec_has_each_action(spec):
    prefix, extended, left_out, own = OBSERVED[spec]
    actions = disjuncts(extended, "Next")
    observed = disjuncts(spec, f"{prefix}Next")
    assert left_out <= set(actions)
    assert own <= set(observed)
    assert {name: at for name, at in observed.items() if name not in own} == {
        f"{prefix}{name}": at for name, at in actions.items() if name not in left_out
    }


def test_no_other_spec_has_a_second_next():
    seconds = set()
    for path in SPECS.rglob("*.tla"):
        text = path.read_text(encoding="utf-8")
        if path.parent.name != "inductive" and re.search(r"^[A-Z]Next ==", text, re.MULTILINE):
            seconds.add(path.stem)
    assert seconds == {*OBSERVED, "StopTheInput"}  # that one's controller gives other commands
