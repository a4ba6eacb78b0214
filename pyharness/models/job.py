"""The jobs of a plan that are about a model, and an estimate of their CPU time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyharness.models.model import Model


@dataclass(frozen=True)
class Job:
    """One unit of work on a model.

    ``kind`` is ``check`` (TLC on all topologies of a model), ``simulate`` (behaviours of TLC for replay) or ``conform``
    (the implementation's successors of every state that TLC found). ``id`` is a digest of the rendered model, of its
    meaning in the specs, of TLC, of the bounds, and of the implementation if the job runs it.
    """

    id: str
    kind: str
    model: Model

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name


def cpu_seconds(model: Model, kind: str) -> float:
    """Return roughly the CPU time of a job, by the pinned counts of its model, or else by the size of its graphs.

    A run of TLC takes a second before its first state; a model that is compared is checked in the same run.
    """
    if kind == "simulate":
        return 1.5
    if model.expect == "violation":
        return 1.0
    if model.pins is None:
        size = sum((t.processes * (1 + len(t.channels))) ** 2 for t in model.topologies)
        return 1.0 + size * model.items**4 / 500
    if kind == "conform":
        return 0.3 + (model.pins.transitions or 0) / 5000
    return 1.0 + model.pins.distinct / 3000
