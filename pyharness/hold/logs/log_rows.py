"""A log as rows of a run's tables: its result, and its snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.base.errors import DisagreementError, IncompleteError, SpecError
from pyharness.hold.logs.validation import validate
from pyharness.models.table_rows import LogRow, SnapshotRow
from pyharness.models.verdicts import Verdict

if TYPE_CHECKING:
    from pyharness.hold.logs.log_source import LogSource
    from pyharness.hold.logs.validation import Validation
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow


def log_rows(source: LogSource, tools: Tools) -> list[TableRow]:
    """Validate a log, and return its row of ``logs`` and those of ``snapshots``.

    A directory that is not a log, or shows nothing, or is judged in two ways, is a row, too. Raises ToolError when TLC fails.
    """
    where = str(source.directory)
    try:
        result = validate(source.directory, protocol=source.protocol, tools=tools if source.tlc else None)
    except SpecError as error:
        return [_without(source, Verdict.SPEC_ERROR, str(error), where)]
    except IncompleteError as error:
        return [_without(source, Verdict.INCOMPLETE, str(error), where)]
    except DisagreementError as error:
        return [_without(source, Verdict.ERROR, str(error), where)]
    return rows_of_log(source.name, result)


def _without(source: LogSource, verdict: Verdict, message: str, where: str) -> LogRow:
    return LogRow(
        source.name, where, source.protocol, verdict.text, message, None, None, None, None, None, None, ()
    )


def rows_of_log(name: str, result: Validation) -> list[TableRow]:
    """Return the rows of a log that was validated."""
    walked = None if result.walked is None else set(result.walked)
    row = LogRow(
        name,
        str(result.directory),
        result.protocol,
        result.verdict,
        result.reason,
        result.processes,
        result.events,
        result.crossing,
        result.behind,
        None if walked is None else len(walked),
        None if result.refused is None else result.refused.where,
        tuple(result.unchecked),
    )
    ids = [(snapshot, True) for snapshot in result.complete] + [
        (snapshot, False) for snapshot in result.incomplete
    ]
    refused = result.refused.snapshot if result.refused is not None else None
    return [
        row,
        *(
            SnapshotRow(
                name, snapshot, complete, None if walked is None else snapshot in walked, snapshot == refused
            )
            for snapshot, complete in ids
        ),
    ]
