"""The implementation that is held against a state graph: everything that must be said to build it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyharness.conformance.successors import Implementation
from pyharness.errors import SpecError
from pyharness.plan.model import NOT_COMPARABLE
from pyharness.systems import APPLICATIONS, PROTOCOLS, Composition

if TYPE_CHECKING:
    from pyharness.plan.model import Model
    from pyharness.replay.wander import Wander


@dataclass(frozen=True)
class Subject:
    """The implementation that is held against a graph; the fields are those of a model."""

    protocol: str
    application: str
    items: int
    placement: str
    constants: tuple[tuple[str, int | str], ...]
    granularity: str
    mutant: str | None
    stop_when_over: bool
    predicate: str | None = None
    wander: Wander | None = None

    def build(self) -> Implementation:
        """Make the implementation."""
        constants = dict(self.constants)
        application = APPLICATIONS[self.application].build(self.items, self.placement, constants)
        return Implementation(
            Composition(self.protocol, application, self.granularity, constants, self.predicate),
            self.mutant,
            stop_when_over=self.stop_when_over,
            wander=self.wander,
        )


def subject_of(model: Model, mutant: str | None) -> Subject:
    """Return the implementation of a model, or its ``mutant``.

    Raises SpecError for a model that cannot be compared state by state, and for a mutant that does not exist.
    """
    if not model.comparable:
        raise SpecError(
            f"{model.spec} cannot be compared state by state", where=model.name, hint=NOT_COMPARABLE
        )
    over = PROTOCOLS[model.spec].stop or "Over"
    if model.stop not in {"", over}:
        raise SpecError(
            f"the implementation does not know {model.stop!r}", where=model.name, hint=f"stop at {over}"
        )
    subject = Subject(
        protocol=model.spec,
        application=model.application,
        items=model.items,
        placement=model.placement,
        constants=tuple(sorted({**model.defaults, **model.constants}.items())),
        granularity=model.granularity,
        mutant=mutant,
        stop_when_over=bool(model.stop),
        predicate=model.predicate,
        wander=model.wander,
    )
    at_rest = replace(subject, wander=None).build()  # a walk would show no more of what cannot be composed
    for topology in model.topologies:
        at_rest.initial(topology)
    return subject
