"""The registry of protocols and applications, and the one place where a system is composed of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import shipped_mutants
from pyharness.machines.protocols import Application, Dataflow, Items, Tasks
from pyharness.machines.protocols.snapshot_mutants import NETWORK_MUTANTS
from pyharness.machines.systems.barrier_systems import BARRIER_PROTOCOLS
from pyharness.machines.systems.chandy_lamport_system import CHANDY_LAMPORT
from pyharness.machines.systems.checkpoint_system import CHECKPOINTS
from pyharness.machines.systems.collection_system import COLLECTION
from pyharness.machines.systems.computation import COMPUTATION
from pyharness.machines.systems.free_recording import FREE_RECORDING
from pyharness.machines.systems.snapshots_system import SNAPSHOTS
from pyharness.machines.systems.stop_the_world_system import STOP_THE_INPUT, STOP_THE_WORLD
from pyharness.machines.systems.white_red_system import WHITE_RED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Mutant
    from pyharness.machines.systems.protocol_spec import ProtocolSpec
    from pyharness.machines.systems.system import GlobalState, System


PROTOCOLS: Final[Mapping[str, ProtocolSpec]] = {
    spec.name: spec
    for spec in (
        COMPUTATION,
        WHITE_RED,
        CHANDY_LAMPORT,
        SNAPSHOTS,
        STOP_THE_WORLD,
        STOP_THE_INPUT,
        *BARRIER_PROTOCOLS,
        CHECKPOINTS,
        COLLECTION,
        FREE_RECORDING,
    )
}
"""The implemented protocols, and the computation without one, by the name of their spec."""

MUTANTS: Final[frozenset[str]] = frozenset(
    {*NETWORK_MUTANTS, *(name for spec in PROTOCOLS.values() for name in spec.mutants)}
)
"""The names of the seeded bugs that are there in Python, too; ``specs/mutants/`` has all of them, in TLA+."""


def find_protocol(name: str) -> ProtocolSpec:
    """Return the protocol whose spec has this name. Raises SpecError, with the nearest names, if there is none."""
    if name not in PROTOCOLS:
        raise SpecError.unknown("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]


def implementation_of(spec: str) -> str | None:
    """Return the name of the protocol that implements a spec, ``None`` if there is none."""
    if spec in PROTOCOLS:
        return spec
    return next((name for name, own in PROTOCOLS.items() if spec in own.also_implements), None)


def mutants_for(protocol: str) -> Mapping[str, Mutant]:
    """Return the seeded bugs that a protocol can be run with: its own, and those of the channels."""
    return {**NETWORK_MUTANTS, **find_protocol(protocol).mutants}


def find_mutant(protocol: str, name: str) -> Mutant:
    """Return a seeded bug of a protocol.

    Raises SpecError if there is none of this name, if it is of another protocol, or is in TLA+ only.
    """
    fitting = mutants_for(protocol)
    if name in fitting:
        return fitting[name]
    others = [spec.name for spec in PROTOCOLS.values() if name in spec.mutants]
    if others:
        raise SpecError(f"{name} is a mutant of {' and '.join(others)}, not of {protocol}")
    if name in shipped_mutants():
        raise SpecError(
            f"the mutant {name} is in TLA+ only: it has no twin in Python",
            hint=f"mutants of {protocol} with a twin are {', '.join(sorted(fitting))}",
        )
    raise SpecError.unknown(f"mutant of {protocol}", name, fitting)


def has_twin(protocol: str, mutant: str | None) -> bool:
    """Return whether a protocol can be run with a seeded bug of its spec."""
    return mutant is not None and mutant in mutants_for(protocol)


def protocols_of(mutant: str) -> tuple[str, ...]:
    """Return the names of protocols that can be run with a seeded bug: all of them, if it is one of the channels."""
    return tuple(name for name in PROTOCOLS if mutant in mutants_for(name))


def known_properties(protocol: str) -> frozenset[str]:
    """Return the names of the properties of a spec that have an implementation in Python."""
    return PROTOCOLS[protocol].known_properties if protocol in PROTOCOLS else frozenset()


def violations(system: System, before: GlobalState | None, after: GlobalState) -> tuple[str, ...]:
    """Return the names of the properties that ``after``, or the step to it from ``before``, violates."""
    return find_protocol(system.protocol).violations(system, before, after)


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
"""The largest number of records, checkpoints or the like: states grow with it, and every state is held."""


@dataclass(frozen=True)
class Composition:
    """The parts of a system, but for its topology.

    ``protocol`` is the name of a spec, ``granularity`` is ``event`` or ``action``, ``constants`` are those of the spec
    (those of its registration where they are not given), and ``predicate`` names the one that a collector tests.
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
