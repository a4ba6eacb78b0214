"""A tiny model on two graphs, and its subject: what most comparisons here are of."""

from __future__ import annotations

from pyharness.hold.conformance.subject import ComparedModel
from pyharness.models.model import Model
from tests.hold.conformance.places import CHAIN, RING2

MODEL = Model("tiny", "ChandyLamport", (RING2, CHAIN), items=1)
SUBJECT = ComparedModel(
    protocol="ChandyLamport",
    application="Items",
    items=1,
    placement="spread",
    constants=(),
    granularity="event",
    mutant=None,
    stop_when_over=True,
)
