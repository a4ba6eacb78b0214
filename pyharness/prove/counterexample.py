"""A small structure as a reader sees it: the state, and the state after a step, in the variables of TLA+, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import BOOL, CHANNEL, MESSAGE, PROCESS, STATE
from pyharness.prove.logic.finite_universe import Element
from pyharness.prove.modules.application_proof import SOURCE, TARGET
from pyharness.prove.structure_values import values_of
from pyharness.show.report.trace.counterexample_table import table_lines
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, to_tla

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.prove.logic import Structure
    from pyharness.prove.obligations import Obligation
    from pyharness.prove.proof_module import Action, System
    from pyharness.prove.steps import State


_BEGINS: Final = "a state"
"""The heading of the first state, which need not be reached."""


def behaviour(obligation: Obligation, structure: Structure) -> Trace:
    """Return what a structure shows of an obligation of a module: a state, and one more if it is about a step.

    A second channel between the same two processes has a third number. Of the ids of ``Snapshots`` each is shown.
    """
    system = obligation.system
    if system is None:
        raise ValueError(f"{obligation.name} is of no module")
    channels: list[tuple[int, ...]] = []
    for c in (Element(CHANNEL, c) for c in structure.universe[CHANNEL]):
        ends = structure.value(SOURCE(c)) + 1, structure.value(TARGET(c)) + 1
        twins = sum(each[:2] == ends for each in channels)
        channels.append((*ends, twins + 1) if twins else ends)
    if obligation.step is None:
        return Trace((TraceStep(_BEGINS, _variables(system, system.state(), structure, channels)),))
    action, before, step = obligation.step
    return Trace(
        (
            TraceStep(_BEGINS, _variables(system, before, structure, channels)),
            TraceStep(
                action.name,
                _variables(system, step.after, structure, channels),
                arguments=_arguments(action, structure, channels),
            ),
        )
    )


def text(title: str, trace: Trace) -> str:
    """Return a behaviour as lines of text, below a title."""
    return "\n".join([title, *(f"  {line}".rstrip() for line in table_lines(trace))]).rstrip()


def _variables(system: System, state: State, structure: Structure, channels: Sequence[tuple[int, ...]]) -> Fn:
    states = [f"s{n + 1}" for n in structure.universe[STATE]]
    messages = [f"m{n + 1}" for n in structure.universe[MESSAGE]]
    return Fn(values_of(system, state)(structure, channels, states, messages).items())


def _arguments(action: Action, structure: Structure, channels: Sequence[tuple[int, ...]]) -> str:
    """Return those parameters of an action that are a process or a channel, or a set of such."""

    def name(sort: object, number: int) -> int | tuple[int, ...]:
        return channels[number] if sort == CHANNEL else number + 1

    shown = []
    for symbol in action.parameters:
        if symbol.sort in (PROCESS, CHANNEL):
            shown.append(to_tla(name(symbol.sort, structure.value(symbol()))))
        elif symbol.sort == BOOL and symbol.arguments and symbol.name != "mark":
            sort = symbol.arguments[0]
            chosen = [n for n in structure.universe[sort] if structure.holds(symbol(Element(sort, n)))]
            shown.append(to_tla(frozenset(name(sort, n) for n in chosen)))
    return ", ".join(shown)
