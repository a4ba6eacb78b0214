"""What a survey knows of one graph."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_utf8
from pyharness.base.toolchain.own_files import write_text
from pyharness.base.toolchain.seal import is_sealed, seal

if TYPE_CHECKING:
    from pathlib import Path


class Reach(Enum):
    """How far the look at a graph went."""

    ALL_STATES = "all states"
    SIMULATED = "simulated"
    VIOLATED = "violated"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class GraphRecord:
    """One graph of a survey, and how far the look at it went.

    ``states`` and ``depth`` are those of the whole state space, or ``None``; ``seen`` are the states found until the
    search ended or was cut off (``None`` if TLC did not tell), and ``behaviours`` those that were simulated after it.
    ``seconds`` is the search's CPU time, ``walk_seconds`` the simulation's. ``why`` says what keeps a graph from
    having been looked at in all states.
    """

    topology: str
    processes: int
    channels: int
    items: int
    reach: Reach
    seconds: float
    seen: int | None = None
    states: int | None = None
    depth: int | None = None
    behaviours: int = 0
    walk_seconds: float = 0.0
    why: str = ""

    def to_document(self) -> dict[str, object]:
        """Return the record as JSON has it."""
        return asdict(self) | {"reach": self.reach.value}


def leave_record(path: Path, record: GraphRecord) -> None:
    """Write a record, whole or not at all."""
    text = json.dumps(record.to_document())
    write_text(path, f"{seal(path.stem, text)}\n{text}")


def left_record(path: Path) -> GraphRecord | None:
    """Read the record that :func:`leave_record` wrote, or ``None`` if there is none, or none that can be read."""
    try:
        found, _, text = read_utf8(path, MOST_KEPT_BYTES).partition("\n")
        content = json.loads(text) if is_sealed(found, path.stem, text) else {}
        if set(content) != {field.name for field in fields(GraphRecord)}:
            return None
        return GraphRecord(**content | {"reach": Reach(content["reach"])})
    except (SpecError, ValueError, TypeError, RecursionError):
        return None
