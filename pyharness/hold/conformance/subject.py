"""The implementation that is held against a state graph: how it is built, and what it can do in a state of TLC's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.base.topology import Topology
from pyharness.machines.replay.wander import wandered
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS, Composition, find_protocol
from pyharness.machines.systems.state_keys import Keys
from pyharness.models.model import NOT_COMPARABLE
from pyharness.tla.tlc.dump import read_variable
from pyharness.tla.values import Fn, StateReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyharness.machines.replay.wander import Wander
    from pyharness.machines.systems.protocol_spec import StateDecoder
    from pyharness.machines.systems.system import GlobalState, System
    from pyharness.models.model import Model
    from pyharness.tla.values import Value


WATCHED: Final = "Watched"
"""The action that changes nothing, and is enabled where the predicate of a model holds."""

_MOST_ANSWERS: Final = 100_000


class Expansion(NamedTuple):
    """A state's topology and key, and by action the keys of its successors, ascending and each once."""

    topology: str
    key: int
    successors: Mapping[str, tuple[int, ...]]


class OnTopology(NamedTuple):
    """What is known of one topology: its name, the system on it, and how states are read and numbered."""

    topology: str
    system: System
    decoder: StateDecoder
    keys: Keys


class Implementation:
    """A protocol's implementation on whichever topologies its states are of; with ``mutant``, the one with that bug.

    With ``stop_when_over`` a state in which the implementation says that the snapshot is over has no successors, as
    in a model with ``NotBeyond``. Where the predicate of the composition holds, there is the step :data:`WATCHED` to
    the same state. With ``wander`` behaviours begin where its walks come to. One object keeps what it learned about the
    parts of states: use it for many.

    Raises SpecError for a protocol or mutant that does not exist, or whose states cannot be read.
    """

    def __init__(
        self,
        composition: Composition,
        mutant: str | None = None,
        *,
        stop_when_over: bool = True,
        wander: Wander | None = None,
    ) -> None:
        decoder = find_protocol(composition.protocol).decoder
        if decoder is None:
            raise SpecError(f"{composition.protocol} cannot be compared state by state")
        self._decoder = decoder
        self._holds = find_protocol(composition.protocol).predicate_holds if composition.predicate else None
        self.composition, self._mutant = composition, mutant
        self._stop_when_over, self._wander = stop_when_over, wander
        self._known: dict[object, OnTopology] = {}
        self._by_text: dict[str, OnTopology] = {}
        self._reader = StateReader()

    def initial(self, topology: Topology) -> dict[int, Fn]:
        """Return the initial states on a topology by their keys."""
        on = self._on(topology.id)
        begins: Iterable[GlobalState] = on.system.initial()
        if self._wander is not None:
            begins = wandered(
                self.composition.on(topology), self._wander, stop_when_over=self._stop_when_over
            )
        return {on.keys.of(state): _as_tla(on.system, state) for state in begins}

    def expand(self, state: Fn) -> Expansion:
        """Return the successors of a state of TLC's.

        Raises ConformanceError for a state that the implementation cannot be in.
        """
        on = self._on(state.get("topo"))
        return self._expand(on, on.decoder.decode(state))

    def expand_texts(self, texts: Sequence[str]) -> Expansion:
        """Do the same for a state that is read from a text for each variable, as a graph dump has them.

        Raises also ToolError for a text that cannot be read.
        """
        on = self._by_texts(texts)
        return self._expand(on, on.decoder.decode_texts(texts, self._read))

    def read_texts(self, texts: Sequence[str]) -> tuple[str, GlobalState]:
        """Return the topology and the implementation's own state that texts for each variable mean.

        Raises ConformanceError for a state that the implementation cannot be in, ToolError for a text that cannot be
        read.
        """
        on = self._by_texts(texts)
        return on.topology, on.decoder.decode_texts(texts, self._read)

    def expand_own(self, topology: str, state: GlobalState) -> Expansion:
        """Return the successors of a state of the implementation's own on a topology."""
        return self._expand(self._on(topology), state)

    def _by_texts(self, texts: Sequence[str]) -> OnTopology:
        topo = next((text for text in texts if text.startswith("topo = ")), "")
        if topo not in self._by_text:
            self._by_text[topo] = self._on(self._read(topo)[1] if topo else None)
        return self._by_text[topo]

    def _read(self, text: str) -> tuple[str, Value]:
        return read_variable(text, self._reader)

    def _expand(self, on: OnTopology, own: GlobalState) -> Expansion:
        steps = list(self._steps(on, own))
        found: defaultdict[str, set[int]] = defaultdict(set)
        key = on.keys.of(own)
        for (name, _), after in zip(
            steps, on.keys.of_successors(own, key, [s for _, s in steps]), strict=True
        ):
            found[name].add(after)
        successors = {name: tuple(sorted(found[name])) for name in sorted(found)}
        return Expansion(on.topology, key, successors)

    def after(self, state: Fn, action: str) -> dict[int, Fn]:
        """Return the successors of a state by one action, as the spec's variables, by their keys."""
        on = self._on(state.get("topo"))
        steps = self._steps(on, on.decoder.decode(state))
        return {on.keys.of(after): _as_tla(on.system, after) for name, after in steps if name == action}

    def _steps(self, on: OnTopology, state: GlobalState) -> Iterator[tuple[str, GlobalState]]:
        if self._stop_when_over and on.system.over(state):
            return
        if self._holds is not None and self._holds(on.system, state):
            yield WATCHED, state
        for action in on.system.actions(state):
            yield action.name, action.after

    def _on(self, topology: object) -> OnTopology:
        if topology not in self._known:
            system = _remembering(self.composition.on(_topology(topology), self._mutant))
            self._known[topology] = OnTopology(
                system.topology.id, system, self._decoder(system), Keys(system)
            )
        return self._known[topology]


def _topology(name: object) -> Topology:
    try:
        return Topology.from_id(str(name))
    except SpecError as error:
        raise ConformanceError(f"no topology: {error}", where="variable topo") from None


def _as_tla(system: System, state: GlobalState) -> Fn:
    return Fn(system.variables(state).items())


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


def _remembering(system: System) -> System:
    """Let the processes of a system keep their answers, which depend on the arguments alone."""
    for machine in system.processes:
        for name in _PURE:
            if handler := getattr(machine, name, None):
                setattr(machine, name, lru_cache(_MOST_ANSWERS)(_whole(handler)))
    return system


def _whole(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Make what a handler yields a tuple, which can be gone through more than once."""

    def answer(*arguments: Any) -> Any:
        found = handler(*arguments)
        return tuple(found) if isinstance(found, Iterator) else found

    return answer


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
