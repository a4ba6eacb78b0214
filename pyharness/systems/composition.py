"""The one place where a system is composed: a protocol, an application, bounds, a topology, and a bug or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.protocols import Application, Dataflow, Items, Tasks
from pyharness.systems.protocol_registry import find_mutant, find_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.systems.system import System
    from pyharness.topology import Topology


@dataclass(frozen=True)
class ApplicationSpec:
    """An application: the ``constants`` of its module with their defaults, and how it is made.

    ``build`` takes the number of items, their placement, and the constants. With ``items`` the module has the constants
    ``Item`` and ``Placement``.
    """

    name: str
    build: Callable[[int, str, Mapping[str, int | str]], Application]
    constants: Mapping[str, int] = field(default_factory=dict)
    items: bool = True


def _tasks(items: int, placement: str, constants: Mapping[str, int | str]) -> Application:
    return Tasks(
        items,
        placement,
        need=int(constants["Need"]),
        losses=int(constants["Losses"]),
        duplicates=int(constants["Duplicates"]),
    )


APPLICATIONS: Final[Mapping[str, ApplicationSpec]] = {
    spec.name: spec
    for spec in (
        ApplicationSpec("Items", lambda items, placement, _: Items(items, placement)),
        ApplicationSpec("Tasks", _tasks, {"Need": 1, "Losses": 0, "Duplicates": 0}),
        ApplicationSpec(
            "Dataflow",
            lambda _, __, constants: Dataflow(int(constants["Records"])),
            {"Records": 2},
            items=False,
        ),
    )
}
"""The applications by name."""


_MOST_OF_A_CONSTANT: Final = 99
"""The largest number of records, checkpoints or the like: what a state holds grows with it, and every state is held."""


@dataclass(frozen=True)
class Composition:
    """What a system is made of, but for its topology.

    ``protocol`` is the name of a spec, ``granularity`` is ``event`` or ``action``, ``constants`` are those of the spec
    (those of its registration where they are not given), and ``predicate`` names what a collector tests.
    """

    protocol: str
    application: Application
    granularity: str = "event"
    constants: Mapping[str, int | str] = field(default_factory=dict)
    predicate: str | None = None

    def on(self, topology: Topology, mutant: str | None = None) -> System:
        """Compose the system on a topology, or the one with the seeded bug ``mutant``.

        Raises SpecError for a protocol or mutant that does not exist, a mutant of another protocol, a predicate that
        the protocol does not test, or a constant that is too large.
        """
        spec = find_protocol(self.protocol)
        for name, value in self.constants.items():
            if isinstance(value, int) and not 0 <= value <= _MOST_OF_A_CONSTANT:
                raise SpecError(
                    f"{str(value)[:20]} is not from 0 to {_MOST_OF_A_CONSTANT}", where=f"constant {name[:80]}"
                )
        if self.predicate is not None and not spec.tests_predicates:
            raise SpecError(f"{spec.name} has no collector, so it tests no predicate", where="predicate")
        parts: dict[str, Any] = {"process": spec.process}
        for part, kind in (find_mutant(spec.name, mutant) if mutant else {}).items():
            parts[part] = _seeded(kind, spec.process) if part == "process" else kind
        if "network" in parts:
            parts["network"] = parts["network"]()
        options = spec.options({**spec.constants, **self.constants}, self.predicate, self.application)
        return spec.system(topology, self.application, granularity=self.granularity, **parts, **options)


def build_system(
    protocol: str,
    topology: Topology,
    application: Application,
    granularity: str = "event",
    mutant: str | None = None,
    *,
    constants: Mapping[str, int | str] | None = None,
    predicate: str | None = None,
) -> System:
    """Compose ``protocol`` (the name of a spec), or its ``mutant``, on a topology, as :meth:`Composition.on` does."""
    return Composition(protocol, application, granularity, constants or {}, predicate).on(topology, mutant)


def _seeded(kind: type, process: type) -> type:
    """Return the class of processes with a bug: the bug's own, or it mixed into the protocol's."""
    return kind if issubclass(kind, process) else type(kind.__name__, (kind, process), {})
