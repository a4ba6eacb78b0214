"""The implementation that is held against a state graph: everything that must be said to build it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.conformance.successors import Implementation
from pyharness.errors import SpecError
from pyharness.protocols import Dataflow, Items
from pyharness.systems import bounds_of
from pyharness.systems.decoding import DECODED

if TYPE_CHECKING:
    from pyharness.plan.model import Model

__all__ = ["Subject", "subject_of"]


@dataclass(frozen=True)
class Subject:
    """The implementation that is held against a graph; the fields are those of a model.

    With a constant ``Records`` the application is a dataflow, else items move.
    """

    protocol: str
    items: int
    placement: str
    constants: tuple[tuple[str, int | str], ...]
    granularity: str
    mutant: str | None
    stop_when_over: bool

    def build(self) -> Implementation:
        """Make the implementation."""
        constants = dict(self.constants)
        records = constants.get("Records")
        return Implementation(
            self.protocol,
            Items(self.items, self.placement) if records is None else Dataflow(int(records)),
            self.granularity,
            self.mutant,
            stop_when_over=self.stop_when_over,
            bounds=bounds_of(constants) if "Mode" in constants else None,
        )


def subject_of(model: Model, mutant: str | None) -> Subject:
    """Return the implementation of a model, or its ``mutant``.

    Raises SpecError for a model that cannot be compared state by state, and for a mutant that does not exist.
    """
    if model.spec not in DECODED or model.application == "Tasks":
        hint = f"it is done for {', '.join(DECODED)}, with items that move or a dataflow"
        raise SpecError(f"{model.spec} cannot be compared state by state", where=model.name, hint=hint)
    if model.stop not in {"", "Over"}:
        raise SpecError(
            f"the implementation does not know {model.stop!r}", where=model.name, hint="stop at Over"
        )
    subject = Subject(
        protocol=model.spec,
        items=model.items,
        placement=model.placement,
        constants=tuple(sorted({**model.defaults, **model.constants}.items())),
        granularity=model.granularity,
        mutant=mutant,
        stop_when_over=bool(model.stop),
    )
    for topology in model.topologies:
        subject.build().initial(topology)
    return subject
