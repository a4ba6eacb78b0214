"""Jobs of the implementation alone: its own state space on one topology, as a row."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pyharness.replay import explore
from pyharness.run.table_rows import ExplorationRow

if TYPE_CHECKING:
    from pyharness.run.jobs import Job

__all__ = ["exploration_row"]


def exploration_row(job: Job) -> ExplorationRow:
    """Explore a job's topology, and return its row of ``explorations``."""
    model, topology = job.model, job.topology
    if topology is None:
        raise ValueError("an exploration is of one topology")
    began = time.monotonic()
    found = explore(model.system(topology), stop_when_over=bool(model.stop))
    seconds = time.monotonic() - began
    return ExplorationRow(job.id, model.name, topology.id, found.distinct, found.transitions, seconds)
