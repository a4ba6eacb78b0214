"""A program that is one operator of a stream processor: all short lists of events and random ones, as ``compare`` does.

The comparison is :func:`~pyharness.hold.flink.operator_comparison.compare`; here is the operator that it is handed, which
asks the program.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from pyharness.base.errors import IncompleteError, ProgramError, SilentError
from pyharness.base.toolchain.clean_text import one_line
from pyharness.hold.flink.event_sequences import sequence_text
from pyharness.hold.flink.handler_comparison import side_by_side
from pyharness.hold.flink.operator_comparison import compare, compare_once
from pyharness.hold.programs.vocabulary import Event
from pyharness.hold.programs.wire import CLIENT, Sent, node_name, number_of, text_of
from pyharness.machines.protocols import Barrier, Cancel, EndOfInput
from pyharness.machines.protocols.checkpoints.operator_drive import Overtaking, Timeout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.hold.flink.operator_comparison import Comparison
    from pyharness.hold.programs.team import Programs

T = TypeVar("T")

OPERATOR: Final = "Operator"
"""The name in place of a protocol's, where a program is an operator."""

_IMPATIENT: Final = 1.0


@dataclass(frozen=True)
class OperatorCase:
    """Events for an operator of a mode with that number of inputs."""

    mode: str
    inputs: int
    events: tuple[tuple[int, Any], ...]


@dataclass(frozen=True)
class OperatorDifference:
    """A case in which a program does something else than the spec's operator, and both courses as text.

    ``again`` is whether it came again, and ``silent`` whether it is that no answer came in time.
    """

    case: OperatorCase
    text: str
    again: bool = True
    silent: bool = False

    def __str__(self) -> str:
        return self.text


class OperatorProgram:
    """A program as a :class:`~pyharness.hold.flink.operator_comparison.Handler`: reset for a number of inputs, then asked.

    It plays the process after its inputs: ``n3`` where they are ``n1`` and ``n2``. Raises ProgramError.
    """

    def __init__(self, programs: Programs, mode: str, inputs: int) -> None:
        self._programs, self._process = programs, inputs + 1
        self._team = programs.alone(self._process)
        self._node = self._team.nodes[0]
        setting = {
            "protocol": OPERATOR,
            "mode": mode,
            "inputs": [node_name(number + 1) for number in range(inputs)],
        }
        self._state = self._asked(lambda: self._node.reset(setting))

    def take(self, source: int, element: Any) -> Sequence[tuple[Any, ...]]:
        """Ask the program for its effects at an element of an input. Raises ProgramError for an answer with an unknown one."""
        return self._asked(lambda: self._took(_event(source, element, self._process)))

    def _took(self, event: Event) -> list[tuple[Any, ...]]:
        answer = self._node.take(event) if self._state is None else self._node.step(self._state, event)
        if answer.refused is not None:
            raise ProgramError(f"it refuses an input: {answer.refused}", where=self._node.name)
        self._state = answer.state
        return [_effect(sent, self._node.name) for sent in answer.sent]

    def _asked(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except ProgramError as error:
            self._team.broken = True
            if isinstance(error, SilentError):  # the smaller lists that follow are not waited for as long
                limits = self._programs.limits
                self._programs.limits = replace(limits, seconds=min(limits.seconds, _IMPATIENT))
            raise


def hold_operator(
    programs: Programs, mode: str, *, inputs: int = 2, ids: int = 2, runs: int = 500, seed: int = 1
) -> Comparison | OperatorDifference:
    """Compare a program with the spec's operator; return how much was compared, or the smallest difference."""
    limits = programs.limits
    try:
        found = compare(
            lambda count: OperatorProgram(programs, mode, count), mode, inputs, runs, ids=ids, seed=seed
        )
    finally:
        programs.limits = limits
    if found.difference is None:
        return found
    programs.renew()
    difference = _difference(found)
    if difference.silent and repeat_operator(difference.case, programs) is None:
        raise IncompleteError(
            "it gave no answer once, and one in time when it was asked again",
            hint="is the machine busy? give it more by --timeout",
        )
    return difference


def repeat_operator(case: OperatorCase, programs: Programs) -> OperatorDifference | None:
    """Ask the events of a case again. Raises SpecError for a mode that there is not, or events that no input brings."""
    found = compare_once(
        lambda count: OperatorProgram(programs, case.mode, count), case.mode, case.inputs, case.events
    )
    return None if found.difference is None else _difference(found)


def _difference(found: Comparison) -> OperatorDifference:
    difference = found.difference
    if difference is None:
        raise ValueError("nothing differs")
    case = OperatorCase(difference.mode, difference.inputs, difference.events)
    head = f"{case.mode}, inputs {case.inputs}: {sequence_text(case.events)}"
    text = f"{head}\n{side_by_side(difference, 'the program')}"
    silent = difference.flink.failure.startswith(SilentError.__name__)
    return OperatorDifference(case, text, found.repeated, silent)


# -- on the wire -----------------------------------------------------------------------------------------------


def _event(source: int, element: Any, process: int) -> Event:
    channel = source + 1, process
    if isinstance(element, Timeout):
        return Event("time_out")
    if isinstance(element, Overtaking):
        overtakes = ("overtakes", tuple(element.records))
        return Event("barrier", channel, (("id", element.barrier.id), overtakes))
    if isinstance(element, Barrier):
        return Event("barrier", channel, (("id", element.id),))
    if isinstance(element, Cancel):
        return Event("cancel", channel, (("id", element.id),))
    if isinstance(element, EndOfInput):
        return Event("end", channel)
    return Event("record", channel, (("record", element),))


def _effect(sent: Sent, name: str) -> tuple[Any, ...]:
    """Return the effects that a program reports, as ``compare`` reads them. Raises ProgramError for anything else."""
    try:
        return _read(json.loads(sent.body)) if sent.dest == CLIENT else _unknown()
    except (KeyError, TypeError, ValueError):
        hint = "such as processed with input and record, triggered, completed or aborted with id, all to c1"
        message = f"{one_line(sent.body, 120)} to {one_line(sent.dest, 20)} is not an effect of an operator"
        raise ProgramError(message, where=name, hint=hint) from None


def _read(body: Mapping[str, Any]) -> tuple[Any, ...]:
    match body["type"]:
        case "processed":
            return "processed", _input(body["input"]), text_of(body["record"])
        case "completed" if "in_flight" in body:
            logs = {_input(name): list(map(text_of, log)) for name, log in body["in_flight"].items()}
            return (
                "completed",
                number_of(body["id"]),
                [logs.get(i, []) for i in range(max(logs, default=-1) + 1)],
            )
        case "triggered" | "completed" | "aborted" as kind:
            return kind, number_of(body["id"])
    return _unknown()


def _unknown() -> NoReturn:
    raise ValueError


def _input(name: Any) -> int:
    text = text_of(name)
    if not re.fullmatch(r"n[1-9]\d{0,3}", text):
        raise ValueError
    return int(text[1:]) - 1
