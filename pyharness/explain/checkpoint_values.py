"""What the variables of ``specs/Checkpoints.tla`` hold, in words: acknowledgements, tasks, copies, what is staged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pyharness.explain.state_values import channel_name, entries, is_channel, name_of, show
from pyharness.tla import Fn, Value, sort_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Words(Protocol):
    """What is asked of the words for the application's own values."""

    def local(self, value: Value) -> str | None:
        """Say what a local state is."""

    def bag(self, value: Value) -> str | None:
        """Say which records a bag has."""

    def messages(self, values: tuple[Value, ...]) -> str:
        """Say what a sequence of messages holds."""


def _acknowledged(wording: Words, value: Value) -> str | None:
    """Say what a process acknowledged; or what each did, for a checkpoint."""
    if isinstance(value, Fn) and {"state", "log"} <= set(value):
        state = wording.local(value["state"])
        return None if state is None else "; ".join([state, *_logged(wording, value["log"])])
    said = [(process, _acknowledged(wording, ack)) for process, ack in entries(value).items()]
    return ". ".join(f"{name_of(process)}: {ack}" for process, ack in said if ack) or None


def _logged(wording: Words, log: Value) -> list[str]:
    return [
        f"logged {wording.messages(queue)} of {_channel(channel)}"
        for channel, queue in entries(log).items()
        if isinstance(queue, tuple) and queue
    ]


def _task(wording: Words, value: Value) -> str | None:
    """Say which checkpoints are pending in a task, and which was the last that it ended."""
    if not (isinstance(value, Fn) and {"last", "pending", "finished"} <= set(value)):
        return None
    pending = [_pending(wording, each) for each in entries(value["pending"]).values()]
    if None in pending:
        return None
    parts = [str(said) for said in pending] or ["nothing pending"]
    parts += [] if value["last"] == 0 else [f"checkpoint {show(value['last'])} ended"]
    parts += _channels("inputs at their end:", value["finished"])
    return "; ".join(parts)


def _pending(wording: Words, value: Value) -> str | None:
    if not (isinstance(value, Fn) and {"id", "arrived", "taken", "log", "held"} <= set(value)):
        return None
    parts = [*_channels("arrived on", value["arrived"]), *_channels("its sender waits on", value["held"])]
    parts += ["state recorded"] if value["taken"] is True else []
    parts += ["must align"] if value.get("forced") is True else []
    said = ", ".join([*parts, *_logged(wording, value["log"])])
    return f"checkpoint {show(value['id'])} pending" + (f": {said}" if said else "")


def _copies(wording: Words, value: Value) -> str | None:
    return _by_checkpoint(value, wording.local, "none")


def _staged(wording: Words, value: Value) -> str | None:
    return _by_checkpoint(value, wording.bag, "nothing")


def _uploads(wording: Words, value: Value) -> str | None:
    return _by_checkpoint(value, lambda part: _acknowledged(wording, part), "none")


def _by_checkpoint(value: Value, say: Callable[[Value], str | None], nothing: str) -> str | None:
    if not isinstance(value, Fn | tuple):
        return None
    said = [(number, say(part)) for number, part in entries(value).items()]
    if any(words is None for _, words in said):
        return None
    return "; ".join(f"checkpoint {show(number)}: {words}" for number, words in said) or nothing


def _channels(what: str, value: Value) -> list[str]:
    if not isinstance(value, frozenset) or not value:
        return []
    return [f"{what} {', '.join(map(_channel, sorted(value, key=sort_key)))}"]


def _channel(value: Value) -> str:
    return channel_name(value) if isinstance(value, tuple) and is_channel(value) else show(value)


CHECKPOINT_ROWS: Final[Mapping[str, Callable[[Words, Value], str | None]]] = {
    "acks": _acknowledged,
    "task": _task,
    "copies": _copies,
    "uploads": _uploads,
    "staged": _staged,
}
"""By the variable: what says a part of it, of one process, or of one checkpoint; ``None`` for another shape."""
