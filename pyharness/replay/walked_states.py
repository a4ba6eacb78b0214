"""The states in which a model that wanders begins, as TLA+: walked to once, and kept by all that they depend on."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from pyharness.replay.wander import wandered
from pyharness.tla import to_tla
from pyharness.toolchain.code_digest import code_digest
from pyharness.toolchain.kept_texts import KeptTexts, own_cache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.replay.wander import Wander
    from pyharness.systems import Composition
    from pyharness.topology import Topology


def walked_states(
    composition: Composition,
    topologies: Sequence[Topology],
    wander: Wander,
    *,
    stop_when_over: bool,
    composed_of: Mapping[str, Any],
) -> list[dict[str, str]]:
    """Return the states that random walks come to on each topology (:func:`wandered`), as TLA+ by variable.

    ``composed_of`` says all that the composition depends on but the code, as JSON can have it.
    """
    directory = own_cache()
    kept = KeptTexts(directory and directory / "walks", "walk")
    graphs = [repr(topology) for topology in topologies]
    made_from = json.dumps([composed_of, graphs, asdict(wander), stop_when_over])

    def walked() -> str:
        return json.dumps(
            [
                {name: to_tla(value) for name, value in system.variables(state).items()}
                for system in map(composition.on, topologies)
                for state in wandered(system, wander, stop_when_over=stop_when_over)
            ]
        )

    found: list[dict[str, str]] = json.loads(kept.text((made_from, _code()), walked))
    return found


@cache
def _code() -> str:
    """Return what says which code walks, and what chooses at random for it."""
    digest = code_digest("pyharness.replay.walked_states", "pyharness.systems")
    return f"{digest} Python {platform.python_version()}"
