"""Traces as ITF JSON, the Informal Trace Format (Apalache ADR-015), written and read.

ITF distinguishes what TLC's own JSON merges: sets are ``{"#set": […]}``, tuples and sequences ``{"#tup": […]}``,
functions ``{"#map": [[key, value], …]}``, integers ``{"#bigint": "5"}``; records are objects. ITF has no place for the
step's action: ours is in the state's ``#meta``, and one that Quint and others put into a variable is read too.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.tla.tlc.trace import ANY, Shape, Trace, TraceStep, merged, shape_of_json, shape_of_value
from pyharness.tla.values import Fn, ModelValue, Value, function, is_identifier, set_of, sort_key, to_tla

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MOST_CHARACTERS = 8 * 1024 * 1024
_MOST_VALUES = 300_000
MOST_DEPTH = 100

_ACTIONS: Final = ("mbt::actionTaken", "action_taken", "actionTaken")
_ESCAPED: Final = re.compile(r"\\u[dD][89abcdefABCDEF]|[\ud800-\udfff]")
_DIGITS: Final = re.compile(r"-?[0-9]{1,1000}")


def to_itf(trace: Trace, meta: Mapping[str, object] | None = None) -> str:
    """Write a trace as ITF JSON text: the text of its :func:`itf_document`."""
    return itf_text(itf_document(trace, meta))


def itf_text(document: Mapping[str, Any]) -> str:
    """Write an ITF document as indented text: the same bytes for the same document."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def itf_line(document: Mapping[str, Any]) -> str:
    """Write an ITF document in one line, as a table's cell holds it."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def itf_document(trace: Trace, meta: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Return a trace as an ITF document: objects, lists, texts and numbers, ready to be written as JSON.

    ``meta`` is added to the document's ``#meta``. ITF writes a loop of one state and stuttering alike. A variable has
    one type in all states: a value that is a map in one of them, or was in the file that it is from, is a map in each.
    """
    names = sorted(str(name) for name in trace.steps[0].state) if trace.steps else []
    shapes = {
        name: merged(
            [
                trace.shapes.get(name, ANY),
                *(shape_of_value(value) for value, _ in groupby(step.state[name] for step in trace.steps)),
            ]
        )
        for name in names
    }
    document: dict[str, Any] = {
        "#meta": {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"}
        | dict(meta or {}),
        "params": [],
        "vars": names,
        "states": [
            {"#meta": {"index": index, "action": step.action} | _also(step)}
            | {name: encode(step.state[name], shapes[name]) for name in names}
            for index, step in enumerate(trace.steps)
        ],
    }
    if trace.lasso is not None:
        document["loop"] = trace.lasso
    elif trace.stuttering:
        document["loop"] = len(trace.steps) - 1
    return document


def _also(step: TraceStep) -> dict[str, str]:
    """Return the arguments and the location of a step's action, by key, if they are known."""
    known = {"arguments": step.arguments, "location": step.location}
    return {key: text for key, text in known.items() if text is not None}


def from_itf(text: str, *, where: str = "ITF") -> tuple[Trace, dict[str, Any]]:
    """Read ITF JSON text, ours or another tool's: the trace and the document's ``#meta``.

    ``vars`` are not needed: the variables are those of the states, and ``params``, which Apalache writes in the first
    state alone. Quint's ``mbt::actionTaken`` and ``mbt::nondetPicks`` become the action and its arguments.

    Raises SpecError, naming ``where``, for text that is not ITF, is too large, or has states of different variables.
    """
    document = _load(text, where)
    states = document.get("states") if isinstance(document, dict) else None
    if not isinstance(states, list) or not states:
        hint = "an ITF trace has a non-empty list `states`"
        if isinstance(document, dict) and (
            "counterexample" in document or {"state", "action"} <= set(document)
        ):
            hint = "TLC's own JSON (-dumpTrace json) does not distinguish sets from sequences: take the text that TLC prints"
        raise SpecError("no states", where=where, hint=hint)
    states = _with_parameters(states, document.get("params"))
    steps = tuple(_step(state, index, f"{where}, state {index}") for index, state in enumerate(states))
    names = set(steps[0].state)
    for index, step in enumerate(steps):
        if names ^ set(step.state):
            sides = {"lacks": names - set(step.state), "also has": set(step.state) - names}
            diff = "; ".join(
                f"it {side} {', '.join(sorted(map(str, some)))}" for side, some in sides.items() if some
            )
            raise SpecError(f"not the variables of state 0: {diff[:200]}", where=f"{where}, state {index}")
    _require_variables(document.get("vars", []), states[0], where)
    loop = document.get("loop")
    if loop is not None and not (type(loop) is int and 0 <= loop < len(steps)):
        raise SpecError(f"loop is {str(loop)[:80]!r}, not the index of a state", where=where)
    meta = document.get("#meta")
    stuttering = loop is not None and loop == len(steps) - 1
    shapes = {
        str(name): merged(shape_of_json(data) for data, _ in groupby(state.get(name) for state in states))
        for name in steps[0].state
    }
    return Trace(steps, None if stuttering else loop, stuttering, shapes), meta if isinstance(
        meta, dict
    ) else {}


def _with_parameters(states: list[Any], params: Any) -> list[Any]:
    """Return the states, each with the parameters that stand in the first one alone."""
    first = states[0] if isinstance(states[0], dict) and isinstance(params, list) else {}
    constants = {name: first[name] for name in first if name in params}
    return [constants | state if isinstance(state, dict) else state for state in states]


def _require_variables(named: Any, state: dict[str, Any], where: str) -> None:
    """Require that the variables a document lists are variables of its states. Raises SpecError."""
    if not isinstance(named, list):
        raise SpecError(f"vars is {str(named)[:80]!r}, not a list of names", where=where)
    if unknown := [str(name)[:80] for name in named if not isinstance(name, str) or name not in state]:
        raise SpecError(f"vars names {', '.join(unknown[:5])}, which no state has", where=where)


def _load(text: str, where: str) -> Any:
    if len(text) > _MOST_CHARACTERS:
        raise SpecError(f"more than {_MOST_CHARACTERS} characters", where=where)
    if text.count(",") > _MOST_VALUES:
        raise SpecError(f"more than {_MOST_VALUES} values", where=where, hint="give a shorter trace")
    try:
        document = json.loads(text, object_pairs_hook=_object)
        if _ESCAPED.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except RecursionError:
        raise SpecError(f"nested more than {MOST_DEPTH} deep", where=where) from None
    except UnicodeEncodeError:
        hint = "half a surrogate pair stands for no character"
        raise SpecError("a text with a lone surrogate", where=where, hint=hint) from None
    except ValueError as error:
        raise SpecError(f"not JSON: {error}", where=where, hint="an ITF trace is a JSON document") from None
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has two members of one name")
    return found


def _step(state: Any, index: int, where: str) -> TraceStep:
    """Read one state; the action that led to it is in its ``#meta`` or in a variable."""
    if not isinstance(state, dict):
        raise SpecError("not an object", where=where)
    pairs = {
        name: decode(value, f"{where}, {name[:80]}")
        for name, value in state.items()
        if not name.startswith("#")
    }
    own = state.get("#meta")
    own = {key: text for key, text in own.items() if isinstance(text, str)} if isinstance(own, dict) else {}
    action, arguments = own.get("action"), own.get("arguments")
    if action is None and index:
        action = next((text for name in _ACTIONS if isinstance(text := pairs.get(name), str)), None)
        arguments = _picks(pairs.get("mbt::nondetPicks")) if arguments is None else arguments
    variables = {name: value for name, value in pairs.items() if not name.startswith("mbt::")}
    if not variables:
        raise SpecError("no variables", where=where)
    return TraceStep(action, Fn(variables.items()), own.get("location"), arguments)


def _picks(picks: Value | None) -> str | None:
    """Return Quint's choices for a step as text, ``name = value, …``; options that were not chosen are left out."""
    if not isinstance(picks, Fn):
        return None
    some = {
        name: pick["value"]
        for name, pick in picks.items()
        if isinstance(pick, Fn) and pick.get("tag") == "Some" and "value" in pick
    }
    return ", ".join(f"{name} = {to_tla(value)}" for name, value in some.items()) or None


def encode(value: Value, shape: Shape = ANY) -> Any:
    """Return a value as ITF's JSON; ``shape`` is its shape in the other states."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, frozenset):
        return {"#set": [encode(item, shape.part(None)) for item in sorted(value, key=sort_key)]}
    if isinstance(value, tuple):
        if shape.kind == "map":
            return _encoded_map(enumerate(value, start=1), shape)
        return {"#tup": [encode(item, shape.part(index)) for index, item in enumerate(value)]}
    if isinstance(value, ModelValue):
        return {"#unserializable": value.name}
    if shape.kind != "map" and all(isinstance(key, str) and is_identifier(key) for key in value):
        return {str(key): encode(item, shape.part(key)) for key, item in value.items()}
    return _encoded_map(value.items(), shape)


def _encoded_map(pairs: Iterable[tuple[Value, Value]], shape: Shape) -> dict[str, Any]:
    keys = shape.keys or ANY
    return {"#map": [[encode(key, keys), encode(item, shape.part(None))] for key, item in pairs]}


def decode(data: Any, where: str) -> Value:
    """Read a value from ITF's JSON; plain numbers and arrays, which other tools write, are taken too.

    Raises SpecError, naming ``where``, for JSON that is not an ITF value, or not a value of TLA+ here: a number that
    is not an integer, a set that mixes Booleans and numbers, a function with two results, an infinite set.
    """
    try:
        return _decode(data, MOST_DEPTH)
    except SpecError as error:
        raise SpecError(error.message, where=where, hint=error.hint) from None


def _decode(data: Any, room: int) -> Value:
    """Read a value that is nested at most ``room`` deep."""

    def inner(item: Any) -> Value:
        return _decode(item, room - 1)

    if room < 0:
        raise SpecError(f"nested more than {MOST_DEPTH} deep")
    if isinstance(data, bool | str | int):
        return data
    if isinstance(data, list):
        return tuple(map(inner, data))
    if isinstance(data, dict):
        match data:
            case {"#bigint": str(digits)} if _DIGITS.fullmatch(digits):
                return int(digits)
            case {"#set": list(items)}:
                return set_of(map(inner, items))
            case {"#tup": list(items)}:
                return tuple(map(inner, items))
            case {"#map": list(pairs)} if all(isinstance(p, list) and len(p) == 2 for p in pairs):
                return function([(inner(key), inner(item)) for key, item in pairs])
            case {"#unserializable": str(name)} if re.fullmatch(r"\w+", name):
                return ModelValue(name)
            case {"#unserializable": str(text)}:
                raise SpecError(f"the tool that wrote this could not write the value {text[:80]!r}")
            case _ if not any(key.startswith("#") for key in data):
                return function([(key, inner(item)) for key, item in data.items()])
    raise SpecError(f"not an ITF value: {json.dumps(data)[:80]}")
