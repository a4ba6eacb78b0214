"""Read the state graphs TLC writes with ``-dump``, state by state and in bounded memory.

``-dump F`` writes the states only (:func:`read_states`); ``-dump dot,actionlabels F`` writes a graph
(:func:`read_graph`, or :func:`load_graph` for all of it at once). A file that was cut off raises
``IncompleteError``, never a shorter result without a word.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.tla.tlc.trace import split_action
from pyharness.tla.values import StateReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyharness.tla.values import Fn, Value

_CHUNK: Final = 1 << 20
_AGAIN: Final = "run TLC again, to its end"
_ID: Final = r"(-?\d+)"
_LABEL: Final = r'\[label="([^"\\]*+(?:\\.[^"\\]*+)*+)"'

NODE_LINE: Final = rf"{_ID} {_LABEL}(.*)\];?"
"""A regular expression for the line of a state in a graph dump: its id, its label, and what follows that."""

EDGE_LINE: Final = rf"{_ID} -> {_ID}(?: {_LABEL}.*\])?;"
"""A regular expression for the line of a step in a graph dump: the ids of its states, and its label."""

FRAME_LINE: Final = (
    r"strict digraph|node \[|edge \[|nodesep=|subgraph cluster_|color=|\{rank = same;.*\}$|\}"
    r'|[^"\[]+ \[label="[^"]*",fillcolor=\d+\]$'
)
"""A regular expression for the beginning of every other line of a graph dump."""

_NODE: Final = re.compile(NODE_LINE + r"\n?\Z")
_EDGE: Final = re.compile(EDGE_LINE + r"\n?\Z")
_FRAME: Final = re.compile(FRAME_LINE)


class DumpNode(NamedTuple):
    """A state of the graph; ``id`` is its fingerprint, a signed 64-bit number."""

    id: int
    state: Fn
    initial: bool


class NodeText(NamedTuple):
    """A state of the graph that is not read yet: ``lines`` has a text for each variable, for :func:`read_variable`."""

    id: int
    lines: list[str]
    initial: bool


class Edge(NamedTuple):
    """A step from the state ``source`` to the state ``target``.

    ``action`` is the name of the action, ``arguments`` the text of its arguments (newer builds); both are
    ``None`` in a graph that was written without ``actionlabels``.
    """

    source: int
    target: int
    action: str | None
    arguments: str | None


@dataclass(frozen=True, slots=True)
class DumpGraph:
    """A complete state graph: states by id, the ids of the ``initial`` ones, and the edges as they were written.

    One pair of states has an edge for each way TLC found from one to the other; they may be equal.
    """

    states: dict[int, Fn]
    initial: tuple[int, ...]
    edges: tuple[Edge, ...]


def read_states(
    path: Path, reader: StateReader | None = None, *, expected: int | None = None
) -> Iterator[Fn]:
    """Yield the states of a plain dump in order.

    ``expected`` is the number of states there must be, such as ``Result.distinct``; without it a file that was
    cut off exactly between two states looks like a complete one. (While TLC checks temporal properties
    2.15 writes states more than once: compare distinct states then.) ``reader`` caches the values it reads.

    Raises ``IncompleteError`` after the last complete state if the file is cut off or has another number of states,
    ``ToolError`` if it is not a plain dump.
    """
    reader = reader or StateReader()
    number = 0
    rest = ""
    with _lines(path) as file:
        while chunk := file.read(_CHUNK):
            *blocks, rest = (rest + chunk).split("\n\n")
            for block in blocks:
                number += 1
                head, _, body = block.partition(":\n")
                if head != f"State {number}":
                    raise ToolError(f"not state {number} of a plain dump: {head[:80]!r}", where=str(path))
                yield _state(reader, body, f"{path}, state {number}")
    if rest.strip("\n"):
        raise IncompleteError(f"state {number + 1} is cut off", where=str(path), hint=_AGAIN)
    if expected is not None and number != expected:
        raise IncompleteError(f"{number} states instead of {expected}", where=str(path), hint=_AGAIN)


def read_graph(path: Path, reader: StateReader | None = None) -> Iterator[DumpNode | Edge]:
    """Yield the nodes and edges of a graph dump in order; an edge may come before the node it leads to.

    Raises ``IncompleteError`` after the last complete line if the file is cut off, ``ToolError`` if a line cannot be
    read.
    """
    reader = reader or StateReader()
    actions: dict[str | None, tuple[str | None, str | None]] = {None: (None, None)}
    depth, line, number = 0, "", 0
    with _lines(path) as file:
        for number, line in enumerate(file, 1):
            if edge := _EDGE.match(line):
                label = edge[3]
                if label not in actions:
                    actions[label] = split_action(_unescape(label))[:2]
                yield Edge(int(edge[1]), int(edge[2]), *actions[label])
            elif node := read_node(line, reader, where=f"{path}:{number}"):
                yield node
            elif _FRAME.match(line):
                depth += line.count("{") - line.count("}")
            elif line.endswith("\n"):
                raise ToolError(f"not a line of a graph dump: {line[:80]!r}", where=f"{path}:{number}")
            else:
                break
    if depth != 0 or not line.rstrip().endswith("}"):
        raise IncompleteError("the graph is cut off", where=f"{path}:{number}", hint=_AGAIN)


def split_node(line: str) -> NodeText | None:
    """Split one line of a graph dump, or give ``None`` when it is not that of a complete state."""
    node = _NODE.match(line)
    if node is None:
        return None
    label = node[2]
    if "\\\\n" in label:  # perhaps no line break but a backslash and an n
        lines = [_escape(text) for text in _unescape(label).removeprefix("/\\ ").split("\n/\\ ")]
    else:
        lines = label.removeprefix("/\\\\ ").split("\\n/\\\\ ")
    return NodeText(int(node[1]), lines, node[3].endswith(",style = filled"))


def read_variable(text: str, reader: StateReader) -> tuple[str, Value]:
    """Read one of the texts of a :class:`NodeText`: the variable's name and its value.

    Raises ``ToolError`` for a line that cannot be read.
    """
    try:
        return reader.memo[_unescape(text)]
    except SpecError as error:
        raise ToolError(f"TLC wrote a state that cannot be read: {error}", where="a graph dump") from error


def read_node(line: str, reader: StateReader, *, where: str = "a graph dump") -> DumpNode | None:
    """Read one line of a graph dump, or give ``None`` when it is not that of a complete state.

    Raises ``ToolError``, naming ``where``, for a state that cannot be read.
    """
    node = _NODE.match(line)
    if node is None:
        return None
    state = _state(reader, _unescape(node[2]), where)
    return DumpNode(int(node[1]), state, node[3].endswith(",style = filled"))


def find_states(path: Path, ids: Iterable[int]) -> dict[int, Fn]:
    """Find some states of a graph dump by their ids, without reading the others: see :func:`states_on`."""
    with _lines(path) as file:
        return states_on(file, ids, where=str(path))


def states_on(lines: Iterable[str], ids: Iterable[int], *, where: str = "a graph dump") -> dict[int, Fn]:
    """Find some states on lines of a graph dump by their ids, without reading the others.

    Raises ``IncompleteError``, naming ``where``, when one is not there, ``ToolError`` for a state that cannot be read.
    """
    wanted = {str(number) for number in ids}
    reader = StateReader()
    found: dict[int, Fn] = {}
    for number, line in enumerate(lines, 1):
        if line.partition(" ")[0] in wanted and (node := read_node(line, reader, where=f"{where}:{number}")):
            found[node.id] = node.state
    missing = sorted(wanted - set(map(str, found)))
    if missing:
        raise IncompleteError(f"no state {missing[0]} in the graph", where=where, hint=_AGAIN)
    return found


def load_graph(path: Path, reader: StateReader | None = None) -> DumpGraph:
    """Read a complete graph dump into memory.

    Raises what :func:`read_graph` raises, and ``IncompleteError`` if an edge leads to a state that is not there.
    """
    states: dict[int, Fn] = {}
    initial: dict[int, None] = {}
    edges: list[Edge] = []
    for item in read_graph(path, reader):
        if isinstance(item, Edge):
            edges.append(item)
        else:
            states[item.id] = item.state
            if item.initial:
                initial[item.id] = None
    for edge in edges:
        if edge.source not in states or edge.target not in states:
            raise IncompleteError(f"an edge without its state: {edge}", where=str(path), hint=_AGAIN)
    return DumpGraph(states, tuple(initial), tuple(edges))


@contextmanager
def _lines(path: Path) -> Iterator[IO[str]]:
    """Open a dump; for bytes that are not text, or an impossible number, ToolError is raised for the tool that wrote it."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            yield file
    except ValueError as error:
        raise ToolError(f"not a dump: {error}", where=str(path)) from None


def _state(reader: StateReader, text: str, where: str) -> Fn:
    try:
        return reader.read(text)
    except SpecError as error:
        raise ToolError(f"TLC wrote a state that cannot be read: {error}", where=where) from error


def _unescape(label: str) -> str:
    r"""Undo TLC's escapes of text in a label: ``\n``, ``\"`` and ``\\``."""
    return label.replace("\\\\", "\0").replace("\\n", "\n").replace('\\"', '"').replace("\0", "\\")


def _escape(text: str) -> str:
    """Escape a text as TLC does in a label."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
