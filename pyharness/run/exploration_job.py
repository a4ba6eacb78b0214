"""Jobs of the implementation alone: its own state space on one topology, as a row."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pyharness.replay import explore

if TYPE_CHECKING:
    from pyharness.run.job_store import Row
    from pyharness.run.jobs import Job

__all__ = ["exploration_row"]


def exploration_row(job: Job) -> Row:
    """Explore a job's topology, and return its row of ``explorations``."""
    model, topology = job.model, job.topology
    if topology is None:
        raise ValueError("an exploration is of one topology")
    began = time.monotonic()
    found = explore(model.system(topology), stop_when_over=bool(model.stop))
    return "explorations", {
        "job": job.id,
        "model": model.name,
        "topology": topology.id,
        "distinct": found.distinct,
        "transitions": found.transitions,
        "seconds": time.monotonic() - began,
    }
