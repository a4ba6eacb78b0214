"""The log of a real run, checked against its spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyharness.base.toolchain.spec_files import require_specs, specs_here
from pyharness.hold.logs.validation import validate as validated
from pyharness.models.machine_tools import find_tools

if TYPE_CHECKING:
    from pyharness.hold.logs.validation import Validation


@dataclass(frozen=True, repr=False)
class ValidatedLog:
    """The result of validating a log.

    ``verdict`` is ``"pass"``, ``"violation"`` or ``"incomplete"``, and ``reason`` is why it is not the first;
    ``where`` is the file and line that is wrong, ``accepted`` what could have stood there. ``complete`` has the
    ids of the complete snapshots, ``walked`` those that TLC walked to their end (None if it was not
    asked), ``unchecked`` what cannot be checked in this log. ``details`` has more.

    It is true if it is a pass, and only then.
    """

    verdict: str
    reason: str
    where: str | None
    accepted: tuple[str, ...]
    complete: tuple[str, ...]
    walked: tuple[str, ...] | None
    unchecked: tuple[str, ...]
    details: Validation = field(compare=False)

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def __repr__(self) -> str:
        reason = f": {self.reason.splitlines()[0]}" if self.reason else ""
        snapshots = f"{len(self.complete)} snapshot{'s'[: len(self.complete) != 1]}"
        return f"<ValidatedLog by {self.details.protocol}, {snapshots}: {self.verdict}{reason}>"


def validate(
    directory: str | Path, *, protocol: str | None = None, tlc: bool = True, specs: str | Path | None = None
) -> ValidatedLog:
    """Validate the log of a run, a file of JSON lines for each process in one directory.

    ``protocol`` is by default the one that the headers name. Without ``tlc`` only messages are counted. ``specs`` is a
    directory of your own modules, which extends the shipped ones.

    Raises SpecError for a directory that is not a log, IncompleteError without a log or if TLC does not end, and
    DisagreementError if the count and TLC do not agree.
    """
    tools: Any = None
    if tlc:
        tools = find_tools(specs_here() if specs is None else require_specs(Path(specs).resolve()))
    result = validated(Path(directory), protocol=protocol or "", tools=tools)
    return ValidatedLog(
        result.verdict,
        result.reason,
        None if result.refused is None else result.refused.where,
        tuple(result.accepted),
        tuple(result.complete),
        None if result.walked is None else tuple(result.walked),
        tuple(result.unchecked),
        result,
    )
