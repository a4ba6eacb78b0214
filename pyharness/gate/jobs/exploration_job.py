"""Jobs of the implementation alone: its own state space on one topology, as a row."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.machines.replay import explore
from pyharness.models.table_rows import ExplorationRow

if TYPE_CHECKING:
    from pyharness.models.job import Job

MOST_STATES: Final = 1_000_000
"""The exploration of a model without pins stops beyond so many states, which take about half a GiB."""


def exploration_row(job: Job) -> ExplorationRow:
    """Explore a job's topology, and return its row of ``explorations``.

    No topology of a model has more states than the model, so beyond the pinned number it is of no use to go on.
    """
    model, topology = job.model, job.topology
    if topology is None:
        raise ValueError("an exploration is of one topology")
    began = time.monotonic()
    most = MOST_STATES if model.pins is None else model.pins.distinct
    try:
        found = explore(model.system(topology), stop_when_over=bool(model.stop), max_states=most)
    except IncompleteError:
        seconds = time.monotonic() - began
        return ExplorationRow(job.id, model.name, topology.id, most, 0, seconds, stopped=True)
    seconds = time.monotonic() - began
    return ExplorationRow(job.id, model.name, topology.id, found.distinct, found.transitions, seconds)
