"""Two measurements as one: of different mutants, perhaps on models of different size."""

from __future__ import annotations

from pyharness.mutation.measurement import Measurement


def merged(found: Measurement, other: Measurement) -> Measurement:
    """Return what both found; no mutant is in both. The models are those of ``found``."""
    return Measurement(
        found.plans,
        [*found.mutants, *other.mutants],
        {**found.seen, **other.seen},
        found.reached | other.reached,
        found.models,
    )
