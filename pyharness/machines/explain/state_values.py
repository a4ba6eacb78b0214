"""Read the parts of a state without assumptions about its shape, and write them as short text.

A trace may come from another tool: a variable that is missing, or of another shape, is empty here, not an error.
"""

from __future__ import annotations

import json
import re

from pyharness.base.errors import SpecError
from pyharness.tla.tlc.itf import encode
from pyharness.tla.values import Fn, ModelValue, Value, to_tla

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")


def entries(value: Value | None) -> dict[Value, Value]:
    """Return a function's results by argument, or a sequence's by 1, 2, …; empty for any other value."""
    if isinstance(value, Fn):
        return dict(value.items())
    if isinstance(value, tuple):
        return dict(enumerate(value, start=1))
    return {}


def members(value: Value | None) -> frozenset[Value]:
    """Return a set's members; empty for any other value."""
    return value if isinstance(value, frozenset) else frozenset()


def is_channel(key: Value) -> bool:
    """Whether ``key`` is a pair, as channels are: of its source and its target."""
    return isinstance(key, tuple) and len(key) == 2


def snapshot_ids(state: Fn) -> list[Value]:
    """Return the ids of the snapshots in a state of ``Snapshots``, or of a run; empty for any other state."""
    if isinstance(named := state.get("snapshots"), tuple):
        return list(named)
    ids = list(entries(state.get("closed"))) if "recState" in state else []
    return ids if all(map(is_channel, ids)) else []


def id_name(value: Value) -> str:
    """Return the text of a control element's id: 1, or P2.1 for the first snapshot of process 2, or a name."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and is_channel(value):
        return f"{name_of(value[0])}.{show(value[1])}"
    return show(value)


def show(value: Value) -> str:
    """Write a value as TLA+, or as ITF's JSON if it holds a text that TLA+ cannot write."""
    try:
        return to_tla(value)
    except SpecError:
        return json.dumps(encode(value), ensure_ascii=True)


def name_of(process: Value) -> str:
    """Return the name of a process: ``P1`` for a number, else as in the trace."""
    if isinstance(process, bool) or not isinstance(process, int | str | ModelValue):
        return show(process)
    return f"P{process}" if isinstance(process, int) else str(process)


def channel_name(channel: tuple[Value, ...], *, large: bool = False) -> str:
    """Return the name of a channel: ``C12``, or ``C1_12`` in a ``large`` graph of more than nine processes, or ``a to b``."""
    if not is_channel(channel):
        return show(channel)
    source, target = channel
    if type(source) is int and type(target) is int:
        return f"C{source}_{target}" if large else f"C{source}{target}"
    return f"{name_of(source)} to {name_of(target)}"


def words(action: str, *, prefixed: bool = False) -> str:
    """Write an action's name as words: ``AcceptMarker`` is "accept marker".

    ``prefixed`` means that the actions of this spec have a C in front, as those of ``specs/Collection.tla``.
    """
    plain = action[1:] if prefixed and re.match("C[A-Z][a-z]", action) else action
    return " ".join(_HUMP.split(plain)).lower().strip() or plain
