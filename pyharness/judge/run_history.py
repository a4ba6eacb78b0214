"""The history of a plan's runs: a row for each model of each run, kept below the plan's results.

A run adds a directory of its own to ``history/``, whole or not at all; nothing there is ever rewritten.
"""

from __future__ import annotations

import shutil
from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import ToolError
from pyharness.run.table_schemas import HISTORY
from pyharness.run.tlc_runs import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.judge.plan_report import ModelReport, PlanReport

__all__ = ["RUNS", "append_history", "history_rows", "read_history"]

RUNS: Final = 50
"""So many runs are read at most, the last ones."""

_FORMAT: Final = "%Y%m%dT%H%M%S.%fZ"


def history_rows(report: PlanReport, began: datetime, seconds: float) -> list[dict[str, Any]]:
    """Return a run's rows, one for each model, with the columns of ``pyharness.run.table_schemas.HISTORY``.

    ``began`` is the time when the run began, with its time zone, and names the run: ``run`` and ``began`` are that
    time in UTC, and sort by it. ``plan_seconds`` is the wall time of the run; ``seconds`` the time that TLC took for
    the model, in the run in which its jobs were not taken over from an earlier one. What was not measured is ``None``.
    """
    utc = began.astimezone(UTC)
    common = {
        "run": utc.strftime(_FORMAT),
        "began": utc.isoformat(timespec="seconds"),
        "plan": report.plan.name,
        "whole": report.plan.whole,
        "plan_verdict": report.verdict.text,
        "plan_seconds": round(seconds, 3),
        "jobs": report.jobs,
        "reused": report.reused,
    }
    return [common | _row(model) for model in report.models]


def _row(report: ModelReport) -> dict[str, Any]:
    model, evidence = report.model, report.evidence
    checks = [run for run in evidence.runs if run["kind"] == "check"]
    distinct, generated = counted(checks) or (None, None)
    fired: Counter[str] = Counter()
    for row in evidence.actions:
        fired[row["action"]] += row["total"] or 0
    compared = [row for row in evidence.conformances if row["error"] is None]
    found = evidence.kills if model.mutant else evidence.traces
    name = "property" if model.mutant else "violated"
    return {
        "model": model.name,
        "spec": model.spec,
        "mutant": model.mutant,
        "expected": model.expect,
        "verdict": report.verdict.text,
        "topologies": len(model.topologies),
        "distinct": distinct,
        "generated": generated,
        "depth": max((run["depth"] for run in checks if run["depth"] is not None), default=None),
        "seconds": round(sum(run["seconds"] or 0 for run in evidence.runs), 3) if evidence.runs else None,
        "transitions": sum(row["transitions"] or 0 for row in compared) if compared else None,
        "replays": len(evidence.replays),
        "taken": sorted(action for action, total in fired.items() if total),
        "caught_by": sorted({row[name] for row in found if row[name]}),
    }


def append_history(spark: SparkSession, out: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Add a run's rows, which are those of :func:`history_rows`, below ``out``, and return their directory.

    Raises ToolError when they cannot be written, and for a run that is there already.
    """
    directory = out / "history"
    run: Path = directory / rows[0]["run"]
    if run.exists():
        raise ToolError(f"the run {run.name} is in the history already", where=str(directory))
    draft = directory / f".{run.name}"
    data = [tuple(row[field.name] for field in HISTORY) for row in rows]
    try:
        frame = spark.createDataFrame(data, HISTORY).coalesce(1)
        frame.write.mode("overwrite").parquet(str(draft))
        draft.rename(run)
    except Exception as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise ToolError(f"the run cannot be added to the history: {error}", where=str(directory)) from error
    return run


def read_history(spark: SparkSession, out: Path, runs: int = RUNS) -> list[dict[str, Any]]:
    """Return the rows of the last ``runs`` runs below ``out``, the oldest run first, each run's by model.

    There are none before the first run. The columns are those of ``pyharness.run.table_schemas.HISTORY``; what an
    older version did not write is ``None``.

    Raises ToolError for a file that is no Parquet.
    """
    directory = out / "history"
    try:
        kept = sorted(path for path in directory.iterdir() if path.is_dir() and path.name[0].isdigit())
    except FileNotFoundError:
        return []
    if not kept[-runs:]:
        return []
    try:
        frame = spark.read.schema(HISTORY).parquet(*map(str, kept[-runs:]))
        rows = [row.asDict() for row in frame.collect()]
    except Exception as error:
        raise ToolError(
            f"the history cannot be read: {str(error).splitlines()[0]}",
            where=str(directory),
            hint="remove the run that is damaged, or the directory",
        ) from error
    return sorted(rows, key=lambda row: (row["run"], row["model"]))
