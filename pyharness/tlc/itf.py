"""Traces as ITF JSON, the Informal Trace Format (Apalache ADR-015), written and read.

ITF keeps apart what TLC's own JSON merges: sets are ``{"#set": […]}``, tuples and sequences ``{"#tup": […]}``,
functions ``{"#map": [[key, value], …]}``, integers ``{"#bigint": "5"}``; records are objects. The name of each
step's action stands in that state's ``#meta``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.tla import Fn, ModelValue, Value, function, is_identifier, sort_key
from pyharness.tlc.trace import Step, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["from_itf", "to_itf"]

MOST_CHARACTERS = 64 * 1024 * 1024


def to_itf(trace: Trace, meta: Mapping[str, object] | None = None) -> str:
    """Write a trace as ITF JSON text: the same bytes for the same trace.

    ``meta`` is added to the document's ``#meta``.
    """
    names = sorted(str(name) for name in trace.steps[0].state) if trace.steps else []
    document: dict[str, Any] = {
        "#meta": {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"}
        | dict(meta or {}),
        "params": [],
        "vars": names,
        "states": [
            {"#meta": {"index": index, "action": step.action}}
            | {name: encode(step.state[name]) for name in names}
            for index, step in enumerate(trace.steps)
        ],
    }
    if trace.lasso is not None:
        document["loop"] = trace.lasso
    elif trace.stuttering:
        document["loop"] = len(trace.steps) - 1
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def from_itf(text: str, *, where: str = "ITF") -> tuple[Trace, dict[str, Any]]:
    """Read ITF JSON text back: the trace and the document's ``#meta``.

    Raises SpecError, naming ``where``, for what is not ITF or is too large.
    """
    if len(text) > MOST_CHARACTERS:
        raise SpecError(f"more than {MOST_CHARACTERS} characters", where=where)
    try:
        document = json.loads(text)
    except ValueError as error:
        raise SpecError(f"not JSON: {error}", where=where, hint="an ITF trace is a JSON document") from None
    states = document.get("states") if isinstance(document, dict) else None
    if not isinstance(states, list) or not states:
        raise SpecError("no states", where=where, hint="an ITF trace has a non-empty list `states`")
    steps = []
    for index, state in enumerate(states):
        if not isinstance(state, dict):
            raise SpecError("not an object", where=f"{where}, state {index}")
        own = state.get("#meta")
        action = own.get("action") if isinstance(own, dict) else None
        pairs = [
            (name, decode(value, f"{where}, state {index}, {name}"))
            for name, value in state.items()
            if not name.startswith("#")
        ]
        steps.append(Step(action if isinstance(action, str) else None, Fn(pairs)))
    loop = document.get("loop")
    if loop is not None and not (isinstance(loop, int) and 0 <= loop < len(steps)):
        raise SpecError(f"loop is {loop!r}, not the index of a state", where=where)
    meta = document.get("#meta")
    stuttering = loop is not None and loop == len(steps) - 1
    return Trace(tuple(steps), None if stuttering else loop, stuttering), meta if isinstance(
        meta, dict
    ) else {}


def encode(value: Value) -> Any:
    """Give a value as ITF's JSON."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, frozenset):
        return {"#set": [encode(item) for item in sorted(value, key=sort_key)]}
    if isinstance(value, tuple):
        return {"#tup": [encode(item) for item in value]}
    if isinstance(value, ModelValue):
        return {"#unserializable": value.name}
    if all(isinstance(key, str) and is_identifier(key) for key in value):
        return {str(key): encode(item) for key, item in value.items()}
    return {"#map": [[encode(key), encode(item)] for key, item in value.items()]}


def decode(data: Any, where: str) -> Value:
    """Read a value from ITF's JSON; plain numbers and arrays, which other tools write, are taken too.

    Raises SpecError, naming ``where``, for what is no ITF value.
    """
    if isinstance(data, bool | str | int):
        return data
    if isinstance(data, list):
        return tuple(decode(item, where) for item in data)
    if isinstance(data, dict):
        match data:
            case {"#bigint": str(digits)} if digits.lstrip("-").isdecimal() and len(digits) < 1000:
                return int(digits)
            case {"#set": list(items)}:
                return frozenset(decode(item, where) for item in items)
            case {"#tup": list(items)}:
                return tuple(decode(item, where) for item in items)
            case {"#map": list(pairs)} if all(isinstance(p, list) and len(p) == 2 for p in pairs):
                return function([(decode(key, where), decode(item, where)) for key, item in pairs])
            case {"#unserializable": str(name)}:
                return ModelValue(name)
            case _ if not any(key.startswith("#") for key in data):
                return function([(key, decode(item, where)) for key, item in data.items()])
    raise SpecError(f"no ITF value: {json.dumps(data)[:80]}", where=where)
