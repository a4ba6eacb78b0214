"""The facts that the harness needs about a protocol: one value for each spec, registered in ``composition``.

Nothing beside these values knows a protocol by its name or its classes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Final

from pyharness.machines.explain.behaviour_view import View
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from pyharness.base.toolchain.toml_tables import Table
    from pyharness.machines.protocols import Application, Mutant, Process
    from pyharness.machines.systems.system import GlobalState, System

StateProperty = Callable[["System", "GlobalState"], bool]
"""A predicate of a system and a state."""

StepProperty = Callable[["System", "GlobalState", "GlobalState"], bool]
"""A predicate of a system and two successive states."""

LivenessProperty = Callable[["System", Sequence["GlobalState"], Sequence["GlobalState"]], bool]
"""A predicate of a system, all states of a behaviour, and those it goes through forever."""


def seen(system: System, *states: GlobalState, lasso: int | None = None) -> View:
    """Return successive states as a view of a behaviour in the spec's variables, for the functions that explain a failure.

    With ``lasso`` the part from the state of that index repeats forever.
    """
    steps = tuple(TraceStep(None, _shown(system, state)) for state in states)
    return View(
        Trace(steps, lasso), {"application": type(system.application).__name__, "constants": system.constants}
    )


@lru_cache(maxsize=1024)
def _shown(system: System, state: GlobalState) -> Fn:
    """Return a state in the spec's variables. It is cached: each step reads all states of the behaviour again."""
    return Fn(system.variables(state).items())


def claim_of(prop: Callable[..., bool]) -> str:
    """Return the property in words, with the number of its claim: the first paragraph of its docstring.

    Users read it, in the explorer, so it is a sentence that needs no other.
    """
    return " ".join((inspect.getdoc(prop) or "").partition("\n\n")[0].split())


def once_complete(system: System, state: GlobalState) -> bool:
    """Return whether the snapshot is complete: many properties presuppose it."""
    return system.complete(state)


def unless(
    reason: Callable[[View], str | None],
    when: Callable[[System, GlobalState], bool] = lambda *_: True,
) -> Callable[..., bool]:
    """Make a property of states or steps from the function that explains its failure: it holds if that returns ``None``.

    It also holds in a state, or for a step from one, in which ``when`` is false.
    """

    @wraps(reason)
    def holds(system: System, *states: GlobalState) -> bool:
        return not when(system, states[0]) or reason(seen(system, *states)) is None

    return holds


def unless_forever(reason: Callable[[View], str | None]) -> LivenessProperty:
    """Make a property of behaviours from the function that explains its failure in the part that repeats forever."""

    @wraps(reason)
    def holds(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
        return reason(seen(system, *loop, lasso=0)) is None

    return holds


COMPUTATION_STEPS: Final[Mapping[str, str]] = {"Send": "message", "Accept": "message", "Internal": "process"}
"""The computation's actions, each with the kind of its argument in a schedule."""


@dataclass(frozen=True)
class ScheduleForm:
    """How behaviours of a protocol are written down step by step (see :mod:`pyharness.machines.replay.schedule`).

    ``actions`` has the arguments of each: ``message`` (a channel and a message), ``channel``, ``process``,
    ``checkpoint`` (a process and an id) or ``nothing``. Messages are ``coloured`` in the spec or bare. TLC checks
    ``invariants``, beside those with a counterpart in Python. Where ``constants`` is given, a schedule has constants,
    read by it, and variables at its end instead of an application and a snapshot;
    ``unclaimed`` names the invariants that may fail then. ``explain`` describes a state that shows more than a snapshot.
    """

    actions: Mapping[str, str]
    coloured: bool = True
    invariants: tuple[str, ...] = ()
    constants: Callable[[Table], dict[str, str | int]] | None = None
    unclaimed: Callable[[Mapping[str, str | int]], frozenset[str]] = lambda _: frozenset()
    explain: Callable[[Any, GlobalState], str] | None = None


@dataclass(frozen=True)
class ProtocolSpec:
    """A protocol: its spec's ``name``, and what the harness needs to compose, observe, read and judge it.

    ``system`` composes processes of class ``process``. ``mutants`` are the seeded bugs of its own, by name.
    ``application`` is that of a model which names none, and ``constants`` those of the spec beside the application's,
    with the values of a command that gives none; a model may leave out those that are ``optional``. ``options`` turns
    the constants of a model, and its predicate, into keyword arguments of ``system``. Properties are under the names
    of the spec. ``tests_predicates`` is whether a model may name a predicate, and ``predicate_holds`` whether that
    holds now (TLA+: ``Holds(S1)``). ``stop`` names the operator at which nothing more is followed. ``coloured`` is
    whether behaviours have one snapshot, by colours, so that they can be reordered. ``schedule`` is there if
    schedules may be of it. ``also_implements`` names specs that add histories to this one, of which the
    implementation knows nothing.
    """

    name: str
    system: type[System]
    process: type[Process[Any]]
    mutants: Mapping[str, Mutant] = field(default_factory=dict)
    application: str = "Items"
    constants: Mapping[str, int | str] = field(default_factory=dict)
    optional: Mapping[str, int | str] = field(default_factory=dict)
    options: Callable[[Mapping[str, int | str], str | None, Application], Mapping[str, Any]] = lambda *_: {}
    state_properties: Mapping[str, StateProperty] = field(default_factory=dict)
    step_properties: Mapping[str, StepProperty] = field(default_factory=dict)
    liveness: Mapping[str, LivenessProperty] = field(default_factory=dict)
    tests_predicates: bool = False
    predicate_holds: Callable[[Any, GlobalState], bool] | None = None
    stop: str = "Over"
    coloured: bool = True
    schedule: ScheduleForm | None = None
    also_implements: tuple[str, ...] = ()

    @property
    def known_properties(self) -> frozenset[str]:
        """The names of the properties that have an implementation in Python."""
        return frozenset({*self.state_properties, *self.step_properties, *self.liveness})

    def violations(self, system: System, before: GlobalState | None, after: GlobalState) -> tuple[str, ...]:
        """Return the names of the properties that ``after``, or the step to it from ``before``, violates."""
        named = [name for name, holds in self.state_properties.items() if not holds(system, after)]
        if before is not None:
            named += [
                name for name, holds in self.step_properties.items() if not holds(system, before, after)
            ]
        return tuple(named)
