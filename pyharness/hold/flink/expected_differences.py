"""The differences between Flink and the spec that are known, each with the reason: ``expected_differences.toml``.

Each names a variant of the operator that does what Flink does (:mod:`~pyharness.hold.flink.operator_variants`). A comparison
fails when it finds a difference that no variant has, and when one that is in the file is not there, or is another one
by now.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import toml_tables
from pyharness.hold.flink.event_sequences import parse_sequence, sequence_text
from pyharness.hold.flink.operator_variants import VARIANTS
from pyharness.hold.flink.real_handlers import FLINK_MODES
from pyharness.machines.systems.toml_fields import toml_document

if TYPE_CHECKING:
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


@cache
def recorded_differences(path: Path = FILE) -> tuple[Expected, ...]:
    """Read the file. Raises SpecError, with the entry, for what it must not have."""
    document = toml_document(path, _FORMAT, ("difference",))
    entries = toml_tables(document, "difference", path.name)
    found = tuple(_entry(entry, f"{path.name}: difference {n}") for n, entry in enumerate(entries, 1))
    keys = [(case.mode, case.inputs, case.sequence) for each in found for case in each.cases]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise SpecError(f"two cases are {twice[0]}", where=path.name, hint="leave one out")
    return found


def _entry(entry: dict[str, object], where: str) -> Expected:
    try:
        cases = tuple(ExpectedCase(**case) for case in entry.pop("case"))  # type: ignore[attr-defined]
        found = Expected(**{**entry, "versions": tuple(entry["versions"]), "cases": cases})  # type: ignore[arg-type]
    except (KeyError, TypeError) as error:
        raise SpecError(
            f"not as it should be: {error}", where=where, hint="see the entries beside it"
        ) from error
    if not found.why or not found.cases or not found.versions:
        hint = "see the entries beside it"
        raise SpecError("a reason, a case and a version are needed", where=where, hint=hint)
    if found.variant not in VARIANTS:
        raise SpecError.unknown("variant", found.variant, VARIANTS, where=where)
    for case in found.cases:
        if case.mode not in FLINK_MODES or sequence_text(case.events) != case.sequence:
            raise SpecError(
                f"{case.mode}: {case.sequence!r} is no case", where=where, hint="as a run prints it"
            )
    return found


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
