"""The explorer shows each property as a sentence of its own."""

from __future__ import annotations

import re

import pytest

from pyharness.machines.systems import PROTOCOLS
from pyharness.machines.systems.protocol_spec import claim_of
from pyharness.machines.systems.snapshots_system import SNAPSHOTS

CLAIMS = [
    pytest.param(claim_of(prop), id=f"{spec.name}.{name}")
    for spec in PROTOCOLS.values()
    for properties in (spec.state_properties, spec.step_properties, spec.liveness)
    for name, prop in properties.items()
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_is_a_sentence(claim):
    assert re.match("[A-Z]", claim), claim
    assert claim.endswith("."), claim
    assert "`" not in claim, claim
    sentence = re.sub(r"^[EA]\d+(, [EA]\d+)*: ", "", claim)
    assert len(sentence.split()) >= 5, claim
    assert not re.match("(or|and|but) ", sentence), claim


def test_a_claim_of_one_snapshot_is_made_of_each():
    said = claim_of(SNAPSHOTS.state_properties["NoRedInWhite"])
    assert said == "E4: no red message was accepted in a white action, for each snapshot."


def test_only_the_first_paragraph_is_shown():
    def prop():
        """E1: a sentence
        in two lines.

        And a remark.
        """

    assert claim_of(prop) == "E1: a sentence in two lines."
