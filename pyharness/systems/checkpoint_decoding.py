"""From a TLC state of ``specs/Checkpoints.tla`` to the implementation's: the inverse of its ``variables``.

A task's state is spread over eight variables, so that states are read whole, and not one variable after the other
as :mod:`pyharness.systems.decoding` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.protocols import (
    END,
    Acknowledgement,
    Barrier,
    Cancel,
    CoordinatorState,
    Message,
    OperatorState,
    SinkState,
    TaskState,
)
from pyharness.protocols.checkpoints.operator import Pending
from pyharness.systems.decoding import WholeDecoder, arguments
from pyharness.tla import Fn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.protocols import Task
    from pyharness.systems.system import GlobalState


class CheckpointDecoder(WholeDecoder):
    """Reads TLC's states of one system, that is of one topology, whether the implementation can reach them or not."""

    def _read(self, state: Mapping[Any, Any]) -> GlobalState:
        for name, value in state.items():
            _require_numbers(value, kind=type(self._shown.get(name)), flags=name == "task")
        queues = arguments(state["chan"])
        return self._blank._replace(
            local=tuple(_task(task, state) for task in self._system.processes),
            queues=tuple(tuple(map(_element, queues[channel])) for channel in self._system.channels),
            outside=CoordinatorState(
                state["triggered"],
                tuple(self._acks(number, acks) for number, acks in arguments(state["acks"]).items()),
                state["completed"],
                state["aborted"],
                state["declines"],
                state["crashes"],
            ),
        )

    def _acks(self, number: int, acks: Any) -> tuple[Acknowledgement, ...]:
        return tuple(
            Acknowledgement(number, process, ack["state"], _log(self._system.processes[process - 1], ack))
            for process, ack in sorted(arguments(acks).items())
        )


def _require_numbers(value: Any, *, kind: type, flags: bool) -> None:
    """Refuse truth values, which Python takes for numbers, and a set or a number where the other belongs.

    ``kind`` is the type of the value itself if that is a number or a set; with ``flags`` truth values may be in it.
    """
    if kind in {int, frozenset} and type(value) is not kind:
        raise TypeError(f"not of type {kind.__name__}")
    if not flags and _has_flag(value):
        raise TypeError("a truth value")


def _has_flag(value: Any) -> bool:
    kind = type(value)
    if kind is Fn:
        return any(map(_has_flag, value.values()))
    return any(map(_has_flag, value)) if kind is tuple or kind is frozenset else kind is bool


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("not a number")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError("not a truth value")
    return value


def _task(task: Task, state: Mapping[Any, Any]) -> TaskState:
    def of(variable: str) -> Any:
        return arguments(state[variable])[task.identity]

    own = of("task")
    pending = tuple(
        Pending(
            _number(p["id"]),
            _indices(task, p["arrived"]),
            _flag(p["taken"]),
            _log(task, p),
            _indices(task, p["held"]),
            tuple(_number(arguments(p["ahead"])[channel]) for channel in task.inputs),
            _flag(p["forced"]),
        )
        for p in own["pending"]
    )
    sink = None
    if not task.outputs:
        staged = tuple(sorted(arguments(of("staged")).items()))
        sink = SinkState(of("output"), of("open"), staged, of("committed"))
    return TaskState(
        of("state"),
        OperatorState(_number(own["last"]), pending, _indices(task, own["finished"])),
        tuple(sorted(arguments(of("copies")).items())),
        tuple(
            Acknowledgement(_number(number), task.identity, part["state"], _log(task, part))
            for number, part in sorted(arguments(of("uploads")).items())
        ),
        task.identity in state["ended"],
        of("aborts"),
        sink,
    )


def _indices(task: Task, channels: Any) -> frozenset[int]:
    return frozenset(task.inputs.index(channel) for channel in channels)


def _log(task: Task, holder: Fn) -> tuple[tuple[Any, ...], ...]:
    log: Any = arguments(holder["log"])
    return tuple(log[channel] for channel in task.inputs)


def _element(value: Fn) -> Any:
    match value.get("control"):
        case None:
            return Message(value["msg"])
        case "end":
            return END
        case "cancel":
            return Cancel(value["id"])  # type: ignore[arg-type]
        case _:
            return Barrier(value["id"], alignment=value.get("alignment"))  # type: ignore[arg-type]
