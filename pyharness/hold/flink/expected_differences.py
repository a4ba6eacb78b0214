"""The differences between Flink and the spec that are known, each with the reason: ``expected_differences.toml``.

Each names a variant of the operator that does what Flink does (:mod:`~pyharness.hold.flink.operator_variants`). A comparison
fails when it finds a difference that no variant has, and when one that is in the file is not there, or is another one
by now.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.toolchain.toml_tables import NAMES, TEXT, WORDS, integer, one_of, read_table
from pyharness.hold.flink.event_sequences import parse_sequence, sequence_text
from pyharness.hold.flink.operator_variants import VARIANTS
from pyharness.hold.flink.real_handlers import FLINK_MODES

if TYPE_CHECKING:
    from pyharness.base.toolchain.toml_tables import Table
    from pyharness.hold.flink.event_sequences import Event
    from pyharness.hold.flink.handler_comparison import Comparer, Deviation

FILE = Path(__file__).with_name("expected_differences.toml")
_FORMAT = "pyharness-flink-differences/1"


class ExpectedCase(NamedTuple):
    """A shortest sequence that shows a difference, and the effects on each side at its last event."""

    mode: str
    inputs: int
    sequence: str
    spec: str
    flink: str

    @property
    def events(self) -> tuple[Event, ...]:
        """The sequence as events."""
        return parse_sequence(self.sequence)


class Expected(NamedTuple):
    """A known difference: its cases, and why.

    ``rule`` names what decides it in Flink, ``variant`` the operator that has it so, ``versions`` those in which it is,
    as beginnings such as ``2.3``.
    """

    name: str
    why: str
    rule: str
    variant: str
    versions: tuple[str, ...]
    cases: tuple[ExpectedCase, ...]

    @property
    def modes(self) -> frozenset[str]:
        """The modes in which it is."""
        return frozenset(case.mode for case in self.cases)

    def is_in(self, version: str) -> bool:
        """Return whether a version of Flink has it."""
        return any(version == each or re.match(rf"{re.escape(each)}[.-]", version) for each in self.versions)


_KINDS: Final = {
    **dict.fromkeys(("name", "why", "rule"), WORDS),
    "variant": one_of(VARIANTS),
    "versions": NAMES,
}
_KINDS_OF_CASE: Final = {
    "mode": one_of(FLINK_MODES),
    "inputs": integer(1),
    **dict.fromkeys(("sequence", "spec", "flink"), TEXT),
}


@cache
def recorded_differences(path: Path = FILE) -> tuple[Expected, ...]:
    """Read the file. Raises SpecError, with the entry, for an entry that it must not have."""
    table = read_table(path, _FORMAT)
    found = tuple(_expected(entry) for entry in table.tables("difference"))
    table.close()
    keys = [(case.mode, case.inputs, case.sequence) for each in found for case in each.cases]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise table.error(f"two cases are {twice[0]}", hint="leave one out")
    return found


def _expected(entry: Table) -> Expected:
    cases = tuple(_case(case) for case in entry.tables("case"))
    found = entry.read(partial(Expected, cases=cases), _KINDS)
    if not found.cases or not found.versions:
        raise entry.error("a case and a version are needed", hint="see the entries beside it")
    return found


def _case(entry: Table) -> ExpectedCase:
    case = entry.read(ExpectedCase, _KINDS_OF_CASE)
    if sequence_text(case.events) != case.sequence:
        raise entry.error(f"{case.sequence!r} is not a case", "sequence", "as a run prints it")
    return case


def find_expected(comparer: Comparer, difference: Deviation) -> Expected | None:
    """Return the known difference that one is, or None: the first whose variant of the operator does as Flink did."""
    for each in recorded_differences():
        known = each.is_in(comparer.flink.version) and comparer.mode in each.modes
        if known and comparer.is_variant(difference, VARIANTS[each.variant]):
            return each
    return None


def recheck(comparer: Comparer) -> list[tuple[ExpectedCase, str]]:
    """Run the cases of a comparer's mode; return those that are not as the file has them, with the present effects."""
    wrong: list[tuple[ExpectedCase, str]] = []
    if not comparer.after_ends:
        return wrong
    for each in recorded_differences():
        for case in each.cases:
            if case.mode != comparer.mode or not each.is_in(comparer.flink.version):
                continue
            found = comparer.compare(case.events, case.inputs)
            if found is None:
                wrong.append((case, f"{each.name}: no difference any more"))
            elif found.events != case.events or (found.spec_facts, found.flink_facts) != (
                case.spec,
                case.flink,
            ):
                now = f"the spec: {found.spec_facts}; Flink: {found.flink_facts}"
                wrong.append((case, f"{each.name}: another difference, at event {len(found.events)}: {now}"))
            elif not comparer.is_variant(found, VARIANTS[each.variant]):
                wrong.append((case, f"{each.name}: Flink does not do what {each.variant} does"))
    return wrong
