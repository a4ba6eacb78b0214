"""Which property a run of TLC found violated, where TLC tells only its place."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.run.tlc_runs import property_named, run_model
from pyharness.tlc import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.modules.library import Library
    from pyharness.plan.model import Model
    from pyharness.run.machine_tools import Tools
    from pyharness.tlc import Result
    from pyharness.topology import Topology


def violated_property(
    model: Model,
    library: Library,
    tools: Tools,
    work: Path,
    result: Result,
    topologies: tuple[Topology, ...],
    until: float,
) -> str | None:
    """Name the property that a run of ``model`` violated first, or give ``None`` where that cannot be told.

    Where several properties share the place that TLC gives, it is asked again on ``topologies``, with one after the
    other, in the directory ``work`` and until the clock (``time.monotonic``) shows ``until``.
    """
    if not result.violations:
        return None
    first = result.violations[0]
    if first.outcome is Outcome.ASSERTION:
        return None  # it is false whatever is checked
    if first.name is not None:
        return property_named(model, first.name)
    assumed = [
        each.name
        for each in model.assumed(library, (*model.invariants, *model.properties))
        if each.kind == "behaviour"
    ]
    candidates = (*model.properties, *assumed)
    if first.outcome is Outcome.TEMPORAL and len(candidates) == 1:
        return candidates[0]
    if first.location:
        words = first.location.replace(",", "").split()
        line, module = int(words[1]), words[-1]
        named = _defined_in(work / f"{module}.tla", line) or library.property_at(
            model.spec, model.properties, line, module
        )
        if named:
            return property_named(model, named)
    if not topologies or len(candidates) == 1:
        return None
    if first.trace is not None and first.outcome is Outcome.ACTION_PROPERTY:
        length = len(first.trace)  # the state space may be endless; what was found lies in its first states
        model = replace(model, depth=min(model.depth or length, length))
    model = replace(model, stated=False)
    for name in model.properties:
        seconds = until - time.monotonic()
        alone = run_model(model, library, tools, work, seconds, topologies=topologies, properties=(name,))
        if alone.violations and alone.violations[0].name is None:
            return name
    return assumed[0] if len(assumed) == 1 else None


def _defined_in(rendered: Path, line: int) -> str | None:
    """Name the property that a line (from 1) of what was rendered defines; ``None`` for a place in another module."""
    if not rendered.is_file():
        return None
    return rendered.read_text(encoding="utf-8").split("\n")[line - 1].partition(" == ")[0]
