"""A job of a plan that is about a model, as what runs it is given it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyharness.models.model import Model


@dataclass(frozen=True)
class Job:
    """One unit of work.

    ``kind`` is ``check`` (TLC on all topologies of a model), ``simulate`` (behaviours of TLC for replay) or ``conform``
    (the implementation's successors of every state of TLC's). ``id`` is a digest of the model as rendered, of its meaning
    in the specs, of TLC, of the bounds, and of the implementation for what it runs.
    """

    id: str
    kind: str
    model: Model

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def weight(self) -> int:
        """A rough cost, to start long jobs first."""
        model = self.model
        size = sum((t.processes * (1 + len(t.channels))) ** 2 for t in model.topologies)
        return size * model.items**4 * (1 if model.expect == "pass" else 0) + (
            20 if self.kind == "check" else 15
        )
