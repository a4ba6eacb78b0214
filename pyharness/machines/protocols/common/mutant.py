"""A seeded bug: the classes to run a protocol with, by the part that they play in it."""

from __future__ import annotations

from collections.abc import Mapping

Mutant = Mapping[str, type]
"""The buggy class by the part of a system: ``process``, ``network``, ``controller``, ``handler``, ``coordinator``."""


def mutants_of(part: str, *classes: type) -> dict[str, Mutant]:
    """Return seeded bugs by name, each a class that breaks one idea of ``part`` and is named after the bug."""
    return {kind.__name__: {part: kind} for kind in classes}
