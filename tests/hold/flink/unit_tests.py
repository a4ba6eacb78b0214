"""Flink's own unit tests of its handlers, as sequences of events: ``unit_test_sequences.toml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.toml_tables import read_table
from pyharness.hold.flink.event_sequences import parse_sequence

if TYPE_CHECKING:
    from pyharness.hold.flink.event_sequences import Event

_FILE = Path(__file__).with_name("unit_test_sequences.toml")
_FORMAT = "pyharness-flink-cases/1"


class UnitTest(NamedTuple):
    """A test of Flink's: its class and method, and what it feeds, or why that cannot be written down.

    ``triggered`` and ``aborted`` are the ids that it asserts, in their order, ``alignments`` how the barriers that were
    triggered are aligned, where not as the mode is; each ``None`` where it asserts nothing. ``after_ends`` tells
    whether checkpoints go on after an input's end.
    """

    test: str
    mode: str
    inputs: int = 0
    sequence: str = ""
    triggered: tuple[int, ...] | None = None
    aborted: tuple[int, ...] | None = None
    alignments: tuple[str, ...] | None = None
    after_ends: bool = True
    not_expressible: str = ""

    @property
    def events(self) -> tuple[Event, ...]:
        """The sequence as events."""
        return parse_sequence(self.sequence)


@cache
def unit_tests(path: Path = _FILE) -> tuple[UnitTest, ...]:
    """Read the file. Raises SpecError where it is not as it should be."""
    cases = [table.left for table in read_table(path, _FORMAT).tables("case")]
    try:
        found = tuple(UnitTest(**{key: _frozen(value) for key, value in case.items()}) for case in cases)
    except (KeyError, TypeError) as error:
        raise SpecError(f"cannot be read: {error}", where=path.name) from error
    for each in found:
        if bool(each.sequence) == bool(each.not_expressible):
            raise SpecError(f"{each.test} has no sequence, or a reason to have none", where=path.name)
    return found


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
