"""Rows of tables by the columns that a test is about; the others are blank."""

from __future__ import annotations

from pyharness.models.table_rows import TABLES, columns
from pyharness.tla.tlc import Outcome

_BLANK = {str: "", int: 0, float: 0.0, bool: False, Outcome: Outcome.SUCCESS}


def made(kind, given):
    """A row of the class ``kind``, from some of its columns; an outcome may be given by its name."""
    blank = {
        c.name: () if c.many and not c.nullable else None if c.nullable else _BLANK[c.kind]
        for c in columns(kind)
    }
    unknown = set(given) - set(blank)
    assert not unknown, f"{kind.__name__} has no {unknown}"
    fields = {
        name: tuple(value) if isinstance(value, list) else value for name, value in (blank | given).items()
    }
    if isinstance(fields.get("outcome"), str) and kind is TABLES["runs"]:
        fields["outcome"] = Outcome[fields["outcome"]]
    return kind(**fields)


def tables(**given):
    """Typed rows of some tables; what is no table stays as it is."""
    return {
        name: [made(TABLES[name], row) for row in rows] if name in TABLES else rows
        for name, rows in given.items()
    }
