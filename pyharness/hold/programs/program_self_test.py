"""The preconditions of any verdict: lines, the version, that a reset is one, and that nothing is chance."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import ProgramError
from pyharness.base.topology import parse_topology
from pyharness.hold.flink.event_sequences import Grammar
from pyharness.hold.programs.difference import event_words
from pyharness.hold.programs.operators import OPERATOR, OperatorProgram
from pyharness.hold.programs.team import setting_of
from pyharness.hold.programs.vocabulary import find_held
from pyharness.hold.programs.watched_machine import settled, taken_by, watched_system
from pyharness.hold.programs.wire import VERSION
from pyharness.machines.protocols import Items

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.hold.programs.node import ProgramNode
    from pyharness.hold.programs.team import Programs
    from pyharness.hold.programs.vocabulary import Event

_LONG: Final = 100_000
"""The longest line that is tried, in bytes: asyncio's streams, for instance, end at 65,536 by default."""

_OTHER_VERSION: Final = 999
_EVENTS: Final = 12


def self_test(programs: Programs, protocol: str, mode: str = "aligned") -> tuple[str, ...]:
    """Run all tests of the self-test; return their names. Raises ProgramError for one that fails."""
    if protocol == OPERATOR:
        return _of_operator(programs, mode)
    node = programs.team(2).nodes[0]
    setting, events = _behaviour(protocol)
    pure = _framing(node, setting)
    if pure is None:
        _require_reset(node, setting)
    _require_the_same(programs, node, lambda: _course(programs.team(2).nodes[0], setting, events))
    kind = "it keeps its state" if pure is None else "it hands its state out"
    return (
        f"version {VERSION}",
        kind,
        "lines of any length and in any pieces",
        "a reset is a reset",
        "deterministic",
    )


def _framing(node: ProgramNode, setting: dict[str, Any]) -> str | None:
    """Write requests in pieces, two in one, and a long one; return the state of a pure program."""
    reset = {"type": "reset", "version": VERSION, **setting}
    for size, more in ((1, ""), (1000, "x" * _LONG)):
        reply = node.request({**reset, "padding": more}, size)
        if reply["type"] != "reset_ok":
            raise _unlike(node, f"a reset in pieces of {size} is answered by {reply['type']}")
    other = node.request({**reset, "version": _OTHER_VERSION})
    if other["type"] == "reset_ok" and other["version"] == _OTHER_VERSION:
        raise _unlike(node, f"it claims to speak version {_OTHER_VERSION}, which does not exist")
    return node.reset(setting)


def _behaviour(protocol: str) -> tuple[dict[str, Any], list[Event]]:
    """Return the body of a reset for process 1 of two, and its events of a behaviour of the spec."""
    held = find_held(protocol)
    graph = parse_topology("pipeline:2" if held.dataflow else "ring:2")
    system = watched_system(held, graph, Items(2, "initiator"))
    state = next(system.initial())
    setting = setting_of(system, 1, state.local[0].app)
    random = Random(1)  # noqa: S311 - to be repeated
    events: list[Event] = []
    for _ in range(4 * _EVENTS):
        actions = list(system.actions(state))
        if not actions or len(events) == _EVENTS:
            break
        action = random.choice(actions)
        events += [event for number, event in taken_by(action) if number == 1]
        state = settled(action.after)
    return setting, events


def _course(node: ProgramNode, setting: dict[str, Any], events: list[Event]) -> list[Any]:
    """Return the answers to events from a reset on."""
    state = node.reset(setting)
    course: list[Any] = []
    for event in events:
        try:
            answer = node.take(event) if state is None else node.step(state, event)
        except ProgramError as error:
            place = f"self-test, {event_words(1, event)}"
            raise type(error)(error.message, where=place, hint=error.hint) from None
        course.append(answer._replace(shows=dict(answer.shows or {}) | {"in_reply_to": 0}))
        state = answer.state if answer.refused is None else state
    return course


def _require_reset(node: ProgramNode, setting: dict[str, Any]) -> None:
    """Require that what is shown after a reset is what is shown after the next."""
    node.reset(setting)
    first = node.show()
    node.reset(setting)
    if {**node.show(), "in_reply_to": 0} != {**first, "in_reply_to": 0}:
        raise _unlike(node, "after a reset it shows something else than after the one before")


def _require_the_same(programs: Programs, node: ProgramNode, course: Callable[[], list[Any]]) -> None:
    """Require that a course, which begins with a reset, gives the same once more, and in another process."""
    first = course()
    if course() != first:
        raise _unlike(node, "after a reset, the same events give something else: what is left of before?")
    programs.renew()
    if course() != first:
        raise _unlike(
            node, "in another process, the same events give something else: is there a clock, or chance?"
        )


def _of_operator(programs: Programs, mode: str) -> tuple[str, ...]:
    events = Grammar(mode, 2, 2).random(Random(1), _EVENTS)  # noqa: S311 - to be repeated

    def course() -> list[Any]:
        operator = OperatorProgram(programs, mode, 2)
        return [operator.take(source, element) for source, element in events]

    _require_the_same(programs, programs.alone(3).nodes[0], course)
    return f"version {VERSION}", "a reset is a reset", "deterministic"


def _unlike(node: ProgramNode, message: str) -> ProgramError:
    return ProgramError(
        message, where=f"{node.name}, self-test", hint="docs/reference/programs.md has the protocol"
    )
