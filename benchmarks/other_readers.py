"""Other ways to read a dump of TLC's states: lark without a memory, and packages of PyPI (requirements/bench.txt).

Each takes the path of a dump and yields its states. What a package does not offer for a dump is done here, in the
cheapest way there is, and is named beside it.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from pyharness.tla.values import Value, function, parse_value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyharness.tla.values import Fn

_HEADER = re.compile(r"^(State \d+):$", re.MULTILINE)


def state_texts(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each state, one for a variable or more."""
    lines: list[str] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith("State ") or not line.strip():
                if lines:
                    yield lines
                    lines = []
            else:
                lines.append(line)
    if lines:
        yield lines


def first_states(path: Path, count: int, to: Path) -> Path:
    """Write a dump of the first states only."""
    with to.open("w", encoding="utf-8") as file:
        for number, lines in enumerate(islice(state_texts(path), count), start=1):
            file.write(f"State {number}:\n{''.join(lines)}\n")
    return to


def lark_states(path: Path) -> Iterator[dict[str, Value]]:
    """Read every variable of every state with our own grammar and lark; nothing is remembered."""
    for lines in state_texts(path):
        texts: list[str] = []
        for line in lines:
            if line.startswith("/\\ ") or not texts:
                texts.append(line.removeprefix("/\\ "))
            else:
                texts[-1] += line
        yield {name: parse_value(text) for name, _, text in (text.partition(" = ") for text in texts)}


def tlakit_states(path: Path) -> Iterator[dict[str, Any]]:
    """Read with tlakit's reader of printed behaviours, all at once.

    It knows a state by the action in its heading, which a dump's headings lack: they are given one.
    Functions written with ``:>`` and ``@@`` it leaves as text, and sets and sequences are the same list.
    """
    from tlakit.trace import parse_text_trace  # noqa: PLC0415 - of the benchmark only

    found = parse_text_trace(_HEADER.sub(r"\1: <Initial predicate>", path.read_text(encoding="utf-8")))
    yield from found.states if found else ()


def modelator_states(path: Path) -> Iterator[dict[str, Any]]:
    """Read each state with modelator-py's parser of states, which knows the text without its heading."""
    from modelator_py.util.tlc.state_to_informal_trace_format import (  # noqa: PLC0415 - of the benchmark only
        state_to_informal_trace_format_state,
    )

    for lines in state_texts(path):
        yield state_to_informal_trace_format_state("".join(lines)).var_value_map


def of_modelator(value: Any) -> Value:
    """Return a value of modelator-py's as ours."""
    match type(value).__name__:
        case "ITFSet":
            return frozenset(map(of_modelator, value.elements))
        case "ITFMap":
            return function((of_modelator(key), of_modelator(result)) for key, result in value.elements)
        case _:
            return value


def left_as_text(state: Fn, theirs: dict[str, Any]) -> list[str]:
    """Return the variables that another reader left as a text although they are none."""
    return [
        name for name, value in theirs.items() if isinstance(value, str) and not isinstance(state[name], str)
    ]
