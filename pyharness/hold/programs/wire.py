"""The line protocol (docs/reference/programs.md): the lines to a program, and its answers, read and checked.

A line is a JSON object in the envelope of Maelstrom: ``src``, ``dest`` and a ``body`` with its ``type``.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import fastjsonschema

from pyharness.base.toolchain.clean_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Validator = Callable[[Any], Any]

VERSION: Final = 1
"""The version of the protocol; a program's is in its ``reset_ok``."""

CLIENT: Final = "c1"
"""The name of the harness where it is the one that asks."""

REFUSED: Final = 22
"""The code of an ``error`` that refuses an event: Maelstrom's precondition-failed."""


_ENCODE: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_PLAIN: Final = json.JSONEncoder(separators=(",", ":")).encode


class NoAnswerError(ValueError):
    """A line is not an answer of the protocol; the message has the reason."""


class Sent(NamedTuple):
    """A message that a program sent: its receiver, and the body as canonical JSON, without a library's own numbers."""

    dest: str
    body: str


def node_name(process: int) -> str:
    """Return the name of a process on the wire, such as ``n2``."""
    return f"n{process}"


def canonical(value: Any) -> str:
    """Write a JSON value: the same text exactly for the same value. Raises NoAnswerError if it is nested too deep."""
    try:
        return _ENCODE(value)
    except RecursionError:
        raise NoAnswerError("nested too deep") from None


def envelope(src: str, dest: str, body: Mapping[str, Any], **texts: str) -> bytes:
    """Return the line with this body; ``texts`` are more of its fields, each JSON already."""
    fields = _PLAIN(body)[:-1] + "".join(f',"{name}":{text}' for name, text in texts.items())
    return f'{{"src":"{src}","dest":"{dest}","body":{fields}}}}}\n'.encode()


def read_line(line: bytes) -> dict[str, Any]:
    """Read a line of a program's. Raises NoAnswerError, with the reason, for one that is not an answer."""
    try:
        value = _READ(line.decode("utf-8"))
    except RecursionError:
        raise NoAnswerError(f"nested too deep: {_shown(line)}") from None
    except NoAnswerError as error:
        raise NoAnswerError(f"{error}: {_shown(line)}") from None
    except ValueError:  # no JSON, no UTF-8, or a number of too many digits
        raise NoAnswerError(f"no JSON: {_shown(line)}") from None
    _check(_envelope(), value, line)
    rules = _rules()
    kind = value["body"]["type"]
    if kind in rules:
        _check(rules[kind], value["body"], line)
    return dict(value)


def require_shows(value: Any) -> None:
    """Require that this is what a process of a snapshot protocol shows. Raises NoAnswerError."""
    _check(_shows(), value, b"")


def sent_of(message: Mapping[str, Any]) -> Sent:
    """Return a program's message and its receiver."""
    body = {name: value for name, value in message["body"].items() if name not in {"msg_id", "in_reply_to"}}
    return Sent(message["dest"], canonical(body))


def number_of(value: Any) -> int:
    """Return a value of a document that must be an integer. Raises TypeError for another."""
    if type(value) is not int:
        raise TypeError
    return value


def text_of(value: Any) -> str:
    """Return a value of a document that must be a text. Raises TypeError for another."""
    if not isinstance(value, str):
        raise TypeError
    return value


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of the lines that programs write."""
    text = files("pyharness.hold.programs").joinpath("answers.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@cache
def _envelope() -> Validator:
    """Check the envelope of a line, and that its body has a type."""
    full = schema()
    body = {key: value for key, value in full["definitions"]["body"].items() if key != "allOf"}
    return _compiled({**full, "definitions": {**full["definitions"], "body": body}})


@cache
def _rules() -> Mapping[str, Validator]:
    """Return the schema's further rules by type of a body: one of them is tried and not each."""
    rules = schema()["definitions"]["body"]["allOf"]
    return {rule["if"]["properties"]["type"]["const"]: _part(rule["then"]["$ref"]) for rule in rules}


@cache
def _shows() -> Validator:
    return _part("#/definitions/shows")


def _part(reference: str) -> Validator:
    return _compiled({"$ref": reference, "definitions": schema()["definitions"]})


def _compiled(document: dict[str, Any]) -> Validator:
    made: Validator = fastjsonschema.compile(document, use_default=False)
    return made


def _check(validator: Validator, value: Any, line: bytes) -> None:
    try:
        validator(value)
    except fastjsonschema.JsonSchemaValueException as error:
        problem = one_line(str(error.message).replace("data", "its answer", 1), 200)
        raise NoAnswerError(f"{problem}: {_shown(line)}" if line else problem) from None


def _no_number(text: str) -> NoReturn:
    raise NoAnswerError(f"{text} is not a number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NoAnswerError("a number that is too large")
    return number


def _shown(line: bytes) -> str:
    return one_line(line[:400].decode("utf-8", "replace"), 160)


_READ: Final = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite).decode
