"""The limits of a run, and the counts that it must have."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Budget:
    """The limits of one run of TLC: wall seconds, MiB of Java heap, and CPU seconds if they are bounded, too."""

    seconds: int = 120
    heap_mb: int = 2048
    cpu_seconds: int | None = None


@dataclass(frozen=True)
class Pins:
    """The counts a passing model must have, none of which depends on TLC's build.

    ``distinct`` states, the ``depth`` of the graph in states, and its ``transitions``, which are distinct triples of a
    state, an action and a state: they are counted where the graph is compared (``conform``). ``asks`` is a digest of all
    that a module is asked, which reveals a shorter configuration or a weaker property. A count of ``None`` is not pinned.
    """

    distinct: int
    depth: int | None = None
    transitions: int | None = None
    asks: str | None = None

    def __str__(self) -> str:
        """The counts in words: ``144 distinct states, depth 12, 272 transitions``."""
        words = [f"{self.distinct:,} distinct states"]
        words += [f"depth {self.depth}"] if self.depth is not None else []
        words += [f"{self.transitions:,} transitions"] if self.transitions is not None else []
        words += [f"asks {self.asks}"] if self.asks is not None else []
        return ", ".join(words)

    @property
    def given(self) -> dict[str, int | str]:
        """The pinned counts by their names in a plan."""
        return {name: count for name, count in asdict(self).items() if count is not None}

    @property
    def toml(self) -> str:
        """The counts in the form of a plan: ``{ distinct = 144, depth = 12, transitions = 272 }``."""
        return f"{{ {', '.join(f'{name} = {json.dumps(count)}' for name, count in self.given.items())} }}"


@dataclass(frozen=True)
class SimulationBudget:
    """The number of behaviours that TLC simulates for replay, their depth in states, and the seed."""

    traces: int
    depth: int = 30
    seed: int = 1
