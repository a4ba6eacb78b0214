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
from pyharness.toolchain.kept_texts import KeptTexts
from pyharness.toolchain.seal import own_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.plan.model import Model
    from pyharness.topology import Topology

__all__ = ["walked_states"]


def walked_states(model: Model, topologies: Sequence[Topology]) -> list[dict[str, str]]:
    """Return the states in which behaviours begin, as TLA+ by variable; none if those are the spec's own."""
    if model.wander is None:
        return []
    directory = own_cache()
    kept = KeptTexts(directory and directory / "walks", "walk")
    made_from = [
        model.composed_of, asdict(model.wander), bool(model.stop), [repr(topology) for topology in topologies]
    ]  # fmt: skip
    found: list[dict[str, str]] = json.loads(
        kept.text((json.dumps(made_from), _code()), lambda: json.dumps(_walked(model, topologies)))
    )
    return found


def _walked(model: Model, topologies: Sequence[Topology]) -> list[dict[str, Any]]:
    return [
        {name: to_tla(value) for name, value in system.variables(state).items()}
        for system in map(model.system, topologies)
        for state in wandered(system, model.wander, stop_when_over=bool(model.stop))  # type: ignore[arg-type]
    ]


@cache
def _code() -> str:
    """Return what says which code walks, and what chooses at random for it."""
    digest = code_digest("pyharness.replay.wander", "pyharness.systems", "pyharness.tla")
    return f"{digest} Python {platform.python_version()}"
