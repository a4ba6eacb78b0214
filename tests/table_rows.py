"""Rows of tables by the columns that a test is about; the others are blank."""

from __future__ import annotations

from pyharness.models.table_rows import TABLES, columns
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome, Result

_BLANK = {str: "", int: 0, float: 0.0, bool: False, Outcome: Outcome.SUCCESS, Verdict: Verdict.PASS}


def made(kind, given):
    """A row of the class ``kind``, from some of its columns.

    A run of TLC is given by its outcome, which may be a name, its ``exit_status``, and whether it is ``finished``.
    """
    if kind is TABLES["runs"]:
        given = run_columns(**given)
    blank = {
        c.name: () if c.many and not c.nullable else None if c.nullable else _BLANK[c.kind]
        for c in columns(kind)
    }
    unknown = set(given) - set(blank)
    assert not unknown, f"{kind.__name__} has no {unknown}"
    fields = {
        name: tuple(value) if isinstance(value, list) else value for name, value in (blank | given).items()
    }
    return kind(**fields)


def run_columns(outcome=Outcome.SUCCESS, exit_status=None, finished=False, **given):
    """The columns of a run of TLC, with its meaning."""
    outcome = Outcome[outcome] if isinstance(outcome, str) else outcome
    found = meaning(
        Result(outcome, exit_status, finished=finished), given.get("violated"), given.get("detail", "")
    )
    meant = {"verdict": found.verdict, "reason": found.reason, "complete": found.complete}
    return {"outcome": outcome, **meant, **given}


def tables(**given):
    """Typed rows of some tables; what is no table stays as it is."""
    return {
        name: [made(TABLES[name], row) for row in rows] if name in TABLES else rows
        for name, rows in given.items()
    }
