"""The implementation that is compared with a state graph: how it is built, where it begins, and its steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.machines.replay.wander import wandered
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS, Composition, find_protocol
from pyharness.machines.systems.state_keys import Keys, value_key
from pyharness.models.model import NOT_COMPARABLE
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.replay.wander import Wander
    from pyharness.machines.systems.system import GlobalState, System
    from pyharness.models.model import Model


WATCHED: Final = "Watched"
"""The action that changes nothing, and is enabled where the predicate of a model holds."""

_MOST_ANSWERS: Final = 100_000


class OwnState(NamedTuple):
    """A state of the implementation's own: its ``key`` among TLC's states, and its ``part_key`` among its own.

    States with one key read as the same TLA+ variables; one of them may still go on otherwise than another.
    """

    key: int
    part_key: int
    state: Any


class OnTopology:
    """The implementation on one topology, and how its states are numbered: each as the values of the spec's variables."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._parts = Keys(system)
        self._known: dict[int, int] = {}
        self._digests: dict[tuple[str, Any], int] = {}

    @property
    def states(self) -> int:
        """The number of different states that were numbered."""
        return len(self._known)

    def variables(self, state: Any) -> Fn:
        """Return a state as the spec's variables."""
        return state if isinstance(state, Fn) else Fn(self.system.variables(state).items())

    def own(self, state: Any) -> OwnState:
        """Return a state with its number."""
        if isinstance(state, Fn):
            key = value_key(state, self._digests)
            return OwnState(key, key, state)
        part_key = self._parts.of(state)
        return OwnState(self._key(part_key, state), part_key, state)

    def followed_by(self, source: OwnState, states: Sequence[Any]) -> list[OwnState]:
        """Number states that share most of their parts with the state ``source``."""
        if isinstance(source.state, Fn) or any(isinstance(state, Fn) for state in states):
            return list(map(self.own, states))
        keys = self._parts.of_successors(source.state, source.part_key, states)
        return [OwnState(self._key(k, s), k, s) for k, s in zip(keys, states, strict=True)]

    def _key(self, part_key: int, state: GlobalState) -> int:
        key = self._known.get(part_key)
        if key is None:
            key = self._known[part_key] = value_key(self.system.variables(state), self._digests)
        return key


class Implementation:
    """A protocol's implementation on any topologies; with ``mutant``, the one with that bug.

    With ``stop_when_over`` a state in which the snapshot is over for the implementation has no successors, as
    in a model with ``NotBeyond``. Where the predicate of the composition holds, there is the step :data:`WATCHED` to
    the same state. With ``wander`` behaviours begin in states that its walks reach. One object keeps what it learned
    about the parts of states: use it for many.

    Raises SpecError for a protocol or mutant that does not exist.
    """

    def __init__(
        self,
        composition: Composition,
        mutant: str | None = None,
        *,
        stop_when_over: bool = True,
        wander: Wander | None = None,
    ) -> None:
        self._holds = find_protocol(composition.protocol).predicate_holds if composition.predicate else None
        self.composition, self.mutant = composition, mutant
        self._stop_when_over, self._wander = stop_when_over, wander
        self._known: dict[str, OnTopology] = {}

    def on(self, topology: Topology) -> OnTopology:
        """Return the implementation on one topology."""
        if topology.id not in self._known:
            self._known[topology.id] = OnTopology(_remembering(self.composition.on(topology, self.mutant)))
        return self._known[topology.id]

    def initial(self, topology: Topology) -> dict[int, OwnState]:
        """Return the initial states on a topology by their keys."""
        on = self.on(topology)
        begins: Iterable[GlobalState] = on.system.initial()
        if self._wander is not None:
            begins = wandered(
                self.composition.on(topology), self._wander, stop_when_over=self._stop_when_over
            )
        return {own.key: own for own in map(on.own, begins)}

    def successors(self, on: OnTopology, source: OwnState) -> dict[tuple[str, int], list[OwnState]]:
        """Return the states that follow a state, by action and key."""
        steps = list(self._steps(on, source.state))
        found: defaultdict[tuple[str, int], list[OwnState]] = defaultdict(list)
        for (name, _), own in zip(steps, on.followed_by(source, [s for _, s in steps]), strict=True):
            found[name, own.key].append(own)
        return found

    def reachable(
        self, topology: Topology, depth: int | None = None, most: int | None = None
    ) -> Iterator[tuple[OwnState, dict[tuple[str, int], list[OwnState]]]]:
        """Yield each reachable state on a topology with its successors, breadth first.

        States at ``depth``, where the initial ones have 1, have none. Raises IncompleteError beyond ``most`` states.
        """
        on = self.on(topology)
        level = list(self.initial(topology).values())
        seen, reached = {own.part_key for own in level}, 1
        while level:
            following = []
            for source in level:
                found = {} if depth is not None and reached >= depth else self.successors(on, source)
                yield source, found
                for own in (own for states in found.values() for own in states):
                    if own.part_key not in seen:
                        seen.add(own.part_key)
                        following.append(own)
                if most is not None and len(seen) > most:
                    raise IncompleteError(f"more than {most} states", where=topology.id)
            level, reached = following, reached + 1

    def _steps(self, on: OnTopology, state: Any) -> Iterator[tuple[str, Any]]:
        if self._stop_when_over and on.system.over(state):
            return
        if self._holds is not None and self._holds(on.system, state):
            yield WATCHED, state
        for action in on.system.actions(state):
            yield action.name, action.after


_PURE: Final = (
    *(
        "accept",
        "accept_barrier",
        "accept_marker",
        "initiate",
        "internal",
        "locally_complete",
        "pause",
        "record",
        "resume",
    ),
    *("send", "sendable", "time_out", "turn_red"),
)
"""The handlers of processes that are asked again and again: a state graph has few different local states."""


_VALUES: Final = ("on_channels", "contents", "task_values", "ack_values")
"""The methods of systems that write a part of a state as TLA+ values."""


def _remembering(system: System) -> System:
    """Let a system and its processes keep their answers, which depend on the arguments alone; ``True`` is not ``1`` there."""
    for machine, names in ((system, _VALUES), *((machine, _PURE) for machine in system.processes)):
        for name in names:
            if handler := getattr(machine, name, None):
                setattr(machine, name, lru_cache(_MOST_ANSWERS, typed=True)(_as_tuple(handler)))
    return system


def _as_tuple(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Make what a handler yields a tuple, which can be gone through more than once."""

    def answer(*arguments: Any) -> Any:
        found = handler(*arguments)
        return tuple(found) if isinstance(found, Iterator) else found

    return answer


@dataclass(frozen=True)
class ComparedModel:
    """The implementation that is compared with a graph; the fields are those of a model."""

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


def subject_of(model: Model, mutant: str | None) -> ComparedModel:
    """Return the implementation of a model, or its ``mutant``.

    Raises SpecError for a model of a spec that nothing implements, and for a mutant that does not exist.
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
    subject = ComparedModel(
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
