"""Snapshots of a run as files: written whole or not at all, read with suspicion, and held against what they conserve.

A file's first line has the format, the digest of the rest and its length; the rest is one document of JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import fastjsonschema

from pyharness.base.errors import ConformanceError, HarnessError, IncompleteError, SpecError
from pyharness.base.toolchain.bounded_files import read_bytes
from pyharness.base.toolchain.clean_text import one_line
from pyharness.base.toolchain.own_files import write_bytes
from pyharness.base.topology import parse_topology
from pyharness.lab.runtime.bank_vertices import BALANCE
from pyharness.lab.runtime.dataflow_vertex import BARRIER_MODES, MOST_OFFSET, WORDS, word_of
from pyharness.lab.runtime.vertex_process import RUNNING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOST_PROCESSES: Final = 32
"""The most processes of a run."""

_FORMAT: Final = "pyharness-snapshot/1"
_FIRST: Final = re.compile(rb"(pyharness-snapshot/\d+) sha256:([0-9a-f]{64}) (\d{1,12})\n")
_NAME: Final = re.compile(r"\d{4,9}-\d{6,12}\.json")
_MOST_BYTES: Final = 8 * 1024 * 1024
_MOST_VALUES: Final = 500_000
"""The bytes of a file, and the values in it: for its writer, too."""

_BLOCK: Final = 10_000


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


def _list(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


_NUMBER: Final = _whole(0, 2**53)
_MESSAGE: Final = {"anyOf": [_NUMBER, {**_list(_NUMBER, 3), "minItems": 3}]}
_PARTS: Final = _list(
    {
        "type": "object",
        "required": ["process", "state", "owed", "chans"],
        "additionalProperties": False,
        "properties": {
            "process": _whole(1, MOST_PROCESSES),
            "owed": _whole(0, 10**6),
            "state": {
                "anyOf": [
                    _NUMBER,
                    {
                        "type": "object",
                        "required": ["total"],
                        "additionalProperties": False,
                        "properties": {
                            "total": _whole(-(2**53), 2**53),
                            "offset": _whole(0, MOST_OFFSET),
                            "bytes": _NUMBER,
                            "crc": _NUMBER,
                            "counts": {
                                "type": "object",
                                "patternProperties": {"^[1-9][0-9]?$": _NUMBER},
                                "additionalProperties": False,
                            },
                        },
                    },
                ]
            },
            "chans": {
                "type": "array",
                "items": {
                    "type": "array",
                    "items": [{**_list(_whole(1, MOST_PROCESSES), 2), "minItems": 2}, _list(_MESSAGE, 10**6)],
                    "minItems": 2,
                    "maxItems": 2,
                },
            },
        },
    },
    MOST_PROCESSES,
)
_SCHEMA: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["run", "incarnation", "order", "id", "topology", "protocol", "seed", "window", "parts"],
    "properties": {
        "run": {"type": "string", "pattern": "^[0-9a-f]{32}\\Z"},
        "incarnation": _whole(1, 10**6),
        "order": _whole(1, 10**9),
        "id": {"type": "string", "pattern": "^[0-9]{1,9}(\\.[0-9]{1,9})?\\Z"},
        "topology": {"type": "string", "maxLength": 10_000},
        "protocol": {"enum": sorted(RUNNING)},
        "seed": _whole(0, 2**53),
        "window": _whole(1, 1000),
        "parts": _PARTS,
    },
}


def _no_fraction(text: str) -> Any:
    """Refuse a number that is not written as a whole one: 10.0 is an integer to a schema, and none to a machine."""
    raise ValueError(f"{text} is not written as a whole number")


@cache
def _require_shape() -> Callable[[Any], Any]:
    made: Callable[[Any], Any] = fastjsonschema.compile(_SCHEMA, use_default=False)
    return made


def _require_small(body: bytes, where: str) -> None:
    if len(body) > _MOST_BYTES - 200 or body.count(b",") > _MOST_VALUES:
        hint = "run fewer processes, or with a smaller window"
        raise SpecError(
            f"more than {_MOST_VALUES:,} values, or {_MOST_BYTES:,} bytes", where=where, hint=hint
        )


def _emitted(seed: int, source: int, offset: int) -> Counter[int]:
    """Return how often each word is among the first records of a source."""
    words = Counter(word_of(seed, source, number + 1) for number in range(offset - offset % _BLOCK, offset))
    for block in range(offset // _BLOCK):
        words.update(_emitted_in(seed, source, block))
    return words


@lru_cache(maxsize=32_000)
def _emitted_in(seed: int, source: int, block: int) -> Counter[int]:
    first = block * _BLOCK
    return Counter(word_of(seed, source, number + 1) for number in range(first, first + _BLOCK))


@dataclass(frozen=True)
class StoredSnapshot:
    """A snapshot of which all parts are there.

    ``run`` names the run, ``incarnation`` and ``order`` say when it was complete; ``parts`` are those of the processes,
    by number. The rest is what the run was started with.
    """

    run: str
    incarnation: int
    order: int
    id: str
    topology: str
    protocol: str
    seed: int
    window: int
    parts: list[dict[str, Any]]

    @property
    def in_flight(self) -> int:
        """How many messages are in its channels."""
        return sum(len(values) for _, values in self._channels())

    def _channels(self) -> Iterator[tuple[tuple[int, int], list[Any]]]:
        for part in self.parts:
            for channel, values in part["chans"]:
                yield (channel[0], channel[1]), values

    def in_channel(self, channel: tuple[int, int]) -> int:
        """How many messages are in one of its channels."""
        return sum(len(values) for name, values in self._channels() if name == channel)

    def write(self, directory: Path) -> Path:
        """Write it there, durably, and return its file. Raises SpecError if it is larger than one that can be read."""
        body = json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode() + b"\n"
        _require_small(body, f"snapshot {self.id}")
        first = f"{_FORMAT} sha256:{hashlib.sha256(body).hexdigest()} {len(body)}\n".encode()
        path = directory / f"{self.incarnation:04}-{self.order:06}.json"
        write_bytes(path, first + body, durable=True)
        return path

    @classmethod
    def read(cls, path: Path, run: str | None = None) -> StoredSnapshot:
        """Read one. Raises SpecError, with the reason, for what is none, is damaged, or is of another ``run``."""
        data, where = read_bytes(path, _MOST_BYTES), str(path)
        first = _FIRST.match(data)
        if first is None:
            raise SpecError("no snapshot: its first line names no format", where=where)
        body = data[first.end() :]
        if first[1].decode() != _FORMAT:
            raise SpecError(f"of format {first[1].decode()}, and this reads {_FORMAT}", where=where)
        if len(body) < int(first[3]):
            raise SpecError(f"cut off: {len(body)} of {int(first[3])} bytes are there", where=where)
        if hashlib.sha256(body).hexdigest().encode() != first[2]:
            raise SpecError("damaged: the digest is of another content", where=where)
        _require_small(body, where)
        try:
            document = json.loads(body, parse_float=_no_fraction)
            _require_shape()(document)
        except (ValueError, RecursionError) as error:
            raise SpecError(f"no snapshot: {one_line(str(error), 200)}", where=where) from None
        found = cls(**document)
        if run is not None and found.run != run:
            raise SpecError(f"of another run, {found.run}, and not of {run}", where=where)
        found._require_whole(where)
        return found

    def _require_whole(self, where: str) -> None:
        """Require a part of each process, as this protocol has it, and in it each of its inputs."""
        graph = parse_topology(self.topology, where=where)
        if [part["process"] for part in self.parts] != list(range(1, graph.processes + 1)):
            raise SpecError("not a part of each process, in their order", where=where)
        flows = self.protocol in BARRIER_MODES
        for part in self.parts:
            process = part["process"]
            if [tuple(channel) for channel, _ in part["chans"]] != list(graph.inputs(process)):
                raise SpecError(f"the part of process {process} has other inputs than its graph", where=where)
            wants = {"total"} if flows else set()
            wants |= {"offset"} if flows and not graph.inputs(process) else set()
            wants |= {"counts", "bytes", "crc"} if flows and not graph.outputs(process) else set()
            state = part["state"]
            if flows != isinstance(state, dict) or (flows and set(state) != wants):
                raise SpecError(f"the state of process {process} is none of this protocol", where=where)
            if any(isinstance(value, list) != flows for _, values in part["chans"] for value in values):
                raise SpecError(f"the messages of process {process} are none of this protocol", where=where)

    def law(self) -> tuple[int, int]:
        """Return how much is lost, and how much there twice: money and transfers, or records. (0, 0) is conserved."""
        if self.protocol not in BARRIER_MODES:
            money = sum(part["state"] for part in self.parts) + sum(sum(v) for _, v in self._channels())
            transfers = self.in_flight + sum(part["owed"] for part in self.parts)
            more = [money - BALANCE * len(self.parts), transfers - self.window * len(self.parts)]
        else:
            words = self.counted()
            for part in self.parts:
                words.subtract(_emitted(self.seed, part["process"], part["state"].get("offset", 0)))
            more = list(words.values())
        return -sum(each for each in more if each < 0), sum(each for each in more if each > 0)

    def counted(self) -> Counter[int]:
        """Return how often the sinks have counted each word, or will, as it is in a channel."""
        words: Counter[int] = Counter(dict.fromkeys(range(1, WORDS + 1), 0))
        for part in self.parts:
            words.update({int(word): count for word, count in part["state"].get("counts", {}).items()})
        words.update(value[2] for _, values in self._channels() for value in values)
        return words

    def require_law(self, where: str) -> str:
        """Return in words what it conserves. Raises ConformanceError if it lost something, or has it twice.

        At-least-once may have records twice: those that their sources will emit again.
        """
        lost, twice = self.law()
        what = "records" if self.protocol in BARRIER_MODES else "of money and transfers"
        if lost or (twice and self.protocol != "AtLeastOnceBarriers"):
            raise ConformanceError(
                f"snapshot {self.id} is none that could have occurred: {lost} {what} lost, {twice} twice",
                where=where,
            )
        return f"nothing lost, {twice} {what} that will come twice" if twice else "conserved"


def snapshot_files(directory: Path) -> list[Path]:
    """Return the files of a run's snapshots, in the order in which these were complete."""
    there = directory / "snapshots"
    found = (path for path in there.iterdir() if _NAME.fullmatch(path.name)) if there.is_dir() else ()
    return sorted(found, key=lambda path: tuple(map(int, path.stem.split("-"))))


def newest_snapshot(directory: Path, run: str | None = None) -> Path:
    """Return the file of the newest snapshot that can be read. Raises IncompleteError if there is none."""
    for path in reversed(snapshot_files(directory)):
        try:
            StoredSnapshot.read(path, run)
        except HarnessError:
            continue
        return path
    raise IncompleteError("no snapshot is there", where=str(directory))
