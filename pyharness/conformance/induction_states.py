"""A counterexample to induction as TLA+ has it: a graph, the values of the variables before and after, an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.plan.schedule_model import graph_record
from pyharness.proof.logic import BOOL, CHANNEL, MESSAGE, PROCESS, STATE, Structure
from pyharness.proof.logic.finite_universe import Element
from pyharness.proof.modules.application_proof import SOURCE, TARGET
from pyharness.proof.modules.chandy_lamport_proof import INITIATOR
from pyharness.proof.modules.cyclic_barriers_proof import LESS
from pyharness.proof.structure_values import values_of
from pyharness.tla import Fn, to_tla
from pyharness.tla.values import set_of
from pyharness.topology import Topology

if TYPE_CHECKING:
    from pyharness.proof.proof_module import Action, System
    from pyharness.proof.refutation import Refuted
    from pyharness.proof.steps import State, Step
    from pyharness.tla import Value


class OutsideTlaError(SpecError):
    """A counterexample that TLA+ cannot say; the message says why."""


@dataclass(frozen=True)
class TlaCounterexample:
    """A counterexample to induction of a ``mutant``, in TLA+.

    ``conjuncts`` are the names of the invariant's, ``goal`` that of what is ``broken`` by the ``action``, or in the
    state itself where there is none. Of the application the action needs this: the local state ``after_local`` that it
    leads to, by its number, the channels that it accepts from (``takes``), pairs of a channel and what it sends there
    (``gives``), and whether it is an internal one (``changes``).
    """

    mutant: str
    breaks: str
    goal: str
    conjuncts: tuple[str, ...]
    graph: Fn
    action: str | None
    after_local: int
    takes: Value
    gives: Value
    changes: bool
    module: System
    structure: Structure
    channels: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    states: tuple[State, State | None]

    def before(self, number: int) -> dict[str, Any]:
        """Return the variables before the step; local states are pairs of ``number`` and their own."""
        return self._values(self.states[0], number)

    def after(self, number: int) -> dict[str, Any]:
        """Return the variables after it."""
        return {} if self.states[1] is None else self._values(self.states[1], number)

    def _values(self, state: State, number: int) -> dict[str, Any]:
        universe = self.structure.universe
        locals_ = [(number, s + 1) for s in universe[STATE]]
        messages = [m + 1 for m in universe[MESSAGE]]
        read = values_of(self.module, state, universe.ids)
        return read(self.structure, self.channels, locals_, messages, self.order)


def as_tla(one: Refuted) -> TlaCounterexample:
    """Return the counterexample of a seeded bug in TLA+.

    Raises OutsideTlaError for one that TLA+ cannot say: it is about positions or the measure, or on a graph with two
    channels from one process to another. Raises SpecError where there is none.
    """
    obligation, structure = one.obligation, one.structure
    if obligation is None or structure is None or obligation.system is None:
        raise SpecError(f"{one.module} with {one.mutant} has no counterexample")
    if obligation.positions:
        raise OutsideTlaError("it is about the positions that stand for sequences, of which TLA+ has none")
    if obligation.module != one.module:
        raise OutsideTlaError("it is about the measure by which a snapshot ends, of which TLA+ knows nothing")
    module = obligation.system
    order = _order(structure)
    ends = [(structure.value(SOURCE(c)), structure.value(TARGET(c))) for c in _elements(structure)]
    channels = tuple((order[source], order[target]) for source, target in ends)
    if len(set(channels)) < len(channels):
        raise OutsideTlaError("there are two channels from one process to another")
    initiators = [
        order[p] for p in structure.universe[PROCESS] if structure.holds(INITIATOR(Element(PROCESS, p)))
    ]
    graph = Topology.of(structure.universe.processes, sorted(channels), sorted(initiators))
    goal = obligation.name.partition("/")[0]
    action, before, step = obligation.step or (None, module.state(), None)
    names = [said.name for said, _ in module.declared("conjunct") if not said.positions]
    return TlaCounterexample(
        mutant=one.mutant,
        breaks=obligation.name,
        goal=goal,
        conjuncts=("TypeOK", *names),
        graph=graph_record(graph),
        action=None if action is None else _called(action, structure, channels, order),
        after_local=_after_local(action, structure),
        changes=action is not None and action.name == "Internal",
        **_moves(before, step, structure, channels),
        module=module,
        structure=structure,
        channels=channels,
        order=order,
        states=(before, None if step is None else step.after),
    )


def _elements(structure: Structure) -> list[Element]:
    return [Element(CHANNEL, c) for c in structure.universe[CHANNEL]]


def _order(structure: Structure) -> tuple[int, ...]:
    """Return the number of each process: as many as are less, if anything is said of that, and one more."""
    processes = [Element(PROCESS, p) for p in structure.universe[PROCESS]]
    if LESS.name not in structure.tables:
        return tuple(range(1, len(processes) + 1))
    return tuple(1 + sum(structure.holds(LESS(q, p)) for q in processes) for p in processes)


def _moves(
    before: State, step: Step | None, structure: Structure, channels: tuple[tuple[int, int], ...]
) -> dict[str, Value]:
    """Return the channels that an action accepts from, and what it sends on which.

    What it accepts although it was not sent, its source could send.
    """
    moves = step.does.moves if step else None
    if moves is None:
        return {"takes": frozenset(), "gives": frozenset()}
    takes, gives = set(), set()
    for ends, c in zip(channels, _elements(structure), strict=True):
        if structure.holds(moves.takes(c)):
            takes.add(ends)
            if not structure.holds(before.chan(c, moves.at(c))):
                gives.add((ends, structure.value(moves.took(c)) + 1))
        if structure.holds(moves.gives(c)):
            gives.add((ends, structure.value(moves.body(c)) + 1))
    return {"takes": set_of(takes), "gives": set_of(gives)}


def _after_local(action: Action | None, structure: Structure) -> int:
    """Return the number of the local state that an action leads to, if it is the application's."""
    parameters = {symbol.name: symbol for symbol in action.parameters} if action else {}
    return structure.value(parameters["t"]()) + 1 if "t" in parameters else 1


def _called(
    action: Action, structure: Structure, channels: tuple[tuple[int, int], ...], order: tuple[int, ...]
) -> str:
    """Write the action with what TLA+ gives it: a channel, a process, or a set of processes."""
    for symbol in action.parameters:
        if symbol.sort == CHANNEL:
            return f"{action.name}({to_tla(channels[structure.value(symbol())])})"
        if symbol.sort == PROCESS:
            return f"{action.name}({order[structure.value(symbol())]})"
        if symbol.sort == BOOL and symbol.arguments == (PROCESS,):
            turned = [p for p in structure.universe[PROCESS] if structure.holds(symbol(Element(PROCESS, p)))]
            return f"{action.name}({to_tla(frozenset(order[p] for p in turned))})"
    return action.name
