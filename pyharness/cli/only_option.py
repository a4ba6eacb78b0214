"""The option ``--only``: some models of a plan, by the patterns of their names."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

import click

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.plan.plan import Plan


def only_option(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the option ``--only``, a tuple of patterns that is empty for all models."""
    return click.option(
        "--only",
        metavar="GLOB",
        multiple=True,
        help="Only the models whose name matches; may be repeated.",
    )(command)


def chosen_names(plan: Plan, names: Iterable[str], only: Sequence[str]) -> set[str]:
    """Return those of the ``names`` of a plan's models that match one of the patterns, or all without patterns.

    Raises SpecError for a pattern that matches none, so that a misspelt one does not check less than was asked for.
    """
    known = list(names)
    chosen = set(known) if not only else set()
    for pattern in only:
        matching = set(fnmatch.filter(known, pattern))
        if not matching:
            raise SpecError.unknown(f"model of plan {plan.name} matches", pattern, known)
        chosen |= matching
    return chosen
