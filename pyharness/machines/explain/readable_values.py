"""Write local states and messages in words, by their application, and the values of ``specs/Checkpoints.tla``.

The records and tuples of the specs' applications have fields without names: ``<<1, 1, 0>>`` is record 1 of source 1,
lap 0. A value of an unknown shape has no words, and is shown as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol

from pyharness.machines.explain.state_values import channel_name, entries, id_name, is_channel, name_of, show
from pyharness.tla.values import Fn, Value, sort_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.tla.tlc.trace import Trace


class Words(Protocol):
    """The interface of the words for the application's own values."""

    def local(self, value: Value) -> str | None:
        """Return a local state in words."""

    def bag(self, value: Value) -> str | None:
        """Return the records of a bag in words."""

    def messages(self, values: tuple[Value, ...]) -> str:
        """Return a sequence of messages in words."""


def _acknowledged(wording: Words, value: Value) -> str | None:
    """Return a process's acknowledgement in words; or that of each, for a checkpoint."""
    if isinstance(value, Fn) and {"state", "log"} <= set(value):
        state = wording.local(value["state"])
        return None if state is None else "; ".join([state, *_logged(wording, value["log"])])
    texts = [(process, _acknowledged(wording, ack)) for process, ack in entries(value).items()]
    return ". ".join(f"{name_of(process)}: {ack}" for process, ack in texts if ack) or None


def _logged(wording: Words, log: Value) -> list[str]:
    return [
        f"logged {wording.messages(queue)} of {_channel(channel)}"
        for channel, queue in entries(log).items()
        if isinstance(queue, tuple) and queue
    ]


def _task(wording: Words, value: Value) -> str | None:
    """Return a task's state in words: its pending checkpoints, the last that ended, and its inputs at their end."""
    if not (isinstance(value, Fn) and {"last", "pending", "finished"} <= set(value)):
        return None
    pending = [_pending(wording, each) for each in entries(value["pending"]).values()]
    if None in pending:
        return None
    parts = [str(text) for text in pending] or ["nothing pending"]
    parts += [] if value["last"] == 0 else [f"checkpoint {show(value['last'])} ended"]
    parts += _channels("inputs at their end:", value["finished"])
    return "; ".join(parts)


def _pending(wording: Words, value: Value) -> str | None:
    if not (isinstance(value, Fn) and {"id", "arrived", "taken", "log", "held"} <= set(value)):
        return None
    parts = [*_channels("arrived on", value["arrived"]), *_channels("its sender waits on", value["held"])]
    parts += ["state recorded"] if value["taken"] is True else []
    parts += ["must align"] if value.get("forced") is True else []
    details = ", ".join([*parts, *_logged(wording, value["log"])])
    return f"checkpoint {show(value['id'])} pending" + (f": {details}" if details else "")


def _copies(wording: Words, value: Value) -> str | None:
    return _by_checkpoint(value, wording.local, "none")


def _staged(wording: Words, value: Value) -> str | None:
    return _by_checkpoint(value, wording.bag, "nothing")


def _uploads(wording: Words, value: Value) -> str | None:
    return _by_checkpoint(value, lambda part: _acknowledged(wording, part), "none")


def _by_checkpoint(value: Value, text: Callable[[Value], str | None], nothing: str) -> str | None:
    if not isinstance(value, Fn | tuple):
        return None
    texts = [(number, text(part)) for number, part in entries(value).items()]
    if any(words is None for _, words in texts):
        return None
    return "; ".join(f"checkpoint {show(number)}: {words}" for number, words in texts) or nothing


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
"""The words for a part of a variable, of one process or one checkpoint, by variable; ``None`` for another shape."""


_RECORD: Final = re.compile(r"(?:<<|\()(\d+) (\d+) (\d+)(?:>>|\))")
"""A record among the arguments of an action, as TLA+ or Python writes it, without commas."""


class Wording:
    """The words for one behaviour's values; ``application`` is its application's name, empty if that is not known."""

    def __init__(self, trace: Trace, meta: Mapping[str, Any]) -> None:
        named = meta.get("application")
        self.application = named if isinstance(named, str) else _application(trace)

    # -- the application's values ----------------------------------------------------------------------------------

    def message(self, value: Value) -> str:
        """Return a message in words: "item 1", "record 1 of source 2"."""
        if (
            isinstance(value, int | str)
            and not isinstance(value, bool)
            and self.application in ("Items", "Tasks")
        ):
            return f"{'item' if self.application == 'Items' else 'task'} {value}"
        if isinstance(value, tuple) and len(value) == 3 and self.application == "Dataflow":
            source, number, laps = map(show, value)
            lap = f", lap {laps}" if laps != "0" else ""
            return f"record {number} of source {source}{lap}"
        return show(value)

    def label(self, value: Value) -> str:
        """Return a message's label in a picture: the plain value if it is readable (``1``, ``m``), and else words."""
        if isinstance(value, str):
            return value
        return self.message(value) if self.application == "Dataflow" else show(value).replace(", ", ",")

    def detail(self, arguments: str) -> str:
        """Return an action's arguments in words: "C13, (1, 2, 0)" is "C13 record 2 of source 1"."""
        plain = " ".join(part.strip() for part in arguments.split(","))
        if self.application != "Dataflow":
            return plain
        return _RECORD.sub(lambda found: self.message(tuple(map(int, found.groups()))), plain)

    def messages(self, values: tuple[Value, ...]) -> str:
        """Return a sequence of messages in words: "item 1, item 2", or "nothing"."""
        return ", ".join(map(self.message, values)) or "nothing"

    def local(self, value: Value) -> str | None:
        """Return a local state in words, field by field; ``None`` for a shape that has no words."""
        if self.application == "Items" and isinstance(value, frozenset):
            held = sorted(value, key=sort_key)
            return "holds " + (", ".join(map(self.message, held)) if held else "nothing")
        if self.application == "Tasks" and isinstance(value, tuple) and len(value) == 5:
            return _task_state(value)
        if self.application == "Dataflow" and isinstance(value, tuple) and len(value) == 5:
            return self._fold_state(value)
        return None

    def bag(self, value: Value) -> str | None:
        """Return the records of a bag ``[source -> [number -> count]]`` in words."""
        rows = entries(value)
        if self.application != "Dataflow" or not rows or not all(isinstance(r, tuple) for r in rows.values()):
            return None
        parts = [
            f"record {n} of source {show(source)}{_how_often(count)}"
            for source, row in rows.items()
            for n, count in entries(row).items()
            if count
        ]
        return ", ".join(parts) or "nothing"

    def _fold_state(self, value: tuple[Value, ...]) -> str | None:
        offset, folded, outbox, forward, back = value
        bag = self.bag(folded)
        if bag is None or not isinstance(outbox, tuple):
            return None
        passing = f", passes on {self.messages(outbox)}" if outbox else ""
        begin = f"offset {show(offset)}, " if _is_source(folded, (forward, back)) else ""
        return f"{begin}folded {bag}{passing}"

    # -- rows of a state ---------------------------------------------------------------------------------------------

    def row(self, variable: str, value: Value) -> str | None:
        """Return a row of a state in words: a process's state, a channel's content, a bag; ``None`` without words."""
        if variable in ("state", "recState"):
            return self.local(value)
        if variable == "chan" and isinstance(value, tuple):
            return ", ".join(map(self.element, value)) or "empty"
        if variable in ("recChan", "whiteInRed", "redInWhite") and isinstance(value, tuple):
            return self.messages(value)
        if variable in ("output", "open", "committed"):
            return self.bag(value)
        if self.application == "Dataflow" and variable in CHECKPOINT_ROWS:
            return CHECKPOINT_ROWS[variable](self, value)
        if variable in ("closed", "arrived", "paused", "ended") and isinstance(value, frozenset):
            return ", ".join(map(_name, sorted(value, key=sort_key))) or "none"
        return None

    def element(self, value: Value) -> str:
        """Return an element of a channel in words: "red item 1", "marker", "barrier 1"."""
        if not isinstance(value, Fn):
            return self.message(value)
        if "msg" in value:
            colour = f"{value['colour']} " if "colour" in value else ""
            return colour + self.message(value["msg"])
        if "control" in value:
            return f"{value['control']} {id_name(value['id'])}" if "id" in value else str(value["control"])
        return show(value)


def _application(trace: Trace) -> str:
    """Return the application that the shape of the first local state shows."""
    states = list(entries(trace.steps[0].state.get("state")).values()) if trace.steps else []
    if any(states) and all(isinstance(state, frozenset) for state in states):
        return "Items"  # if all sets are empty nothing moves: they may be events of an automaton
    if states and all(isinstance(state, tuple) and len(state) == 5 for state in states):
        return "Tasks" if all(isinstance(state[2], bool) for state in states) else "Dataflow"  # type: ignore[index]
    return ""


def _is_source(folded: Value, outputs: tuple[Value, ...]) -> bool:
    """Return whether a state is a source's: its outputs begin at a process whose records are counted."""
    channels = [channel for part in outputs for channel in entries(part).values() if is_channel(channel)]
    return any(bool(entries(entries(folded).get(channel[0]))) for channel in channels)  # type: ignore[index]


def _task_state(value: tuple[Value, ...]) -> str:
    held, retired, waits, losses, duplicates = value
    parts = [f"holds {_tasks(held)}"]
    if _tasks(retired) != "nothing":
        parts.append(f"retired {_tasks(retired)}")
    if waits is True:
        parts.append("waits")
    parts += [f"may lose {show(losses)}"] if losses else []
    parts += [f"may duplicate {show(duplicates)}"] if duplicates else []
    return ", ".join(parts)


def _tasks(value: Value) -> str:
    counts = entries(value).items()
    parts = [f"task {show(n)}{_how_often(count)}" for n, count in counts if count]
    return ", ".join(parts) or "nothing"


def _how_often(count: Value) -> str:
    return "" if count == 1 else " twice" if count == 2 else f" {show(count)} times"


def _name(value: Value) -> str:
    return channel_name(value) if isinstance(value, tuple) and is_channel(value) else name_of(value)
