"""Options that several commands have: ``--specs``, what ``--out`` and ``--page`` may be, and those of something else."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import clip
from pyharness.base.toolchain.own_files import named_directory, require_file_place
from pyharness.base.toolchain.spec_files import require_specs, specs_here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.gate.plans.plan import Plan


def options(*given: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds options to a command, which shows them in this order."""

    def add(command: Any) -> Any:
        for option in reversed(given):
            command = option(command)
        return command

    return add


def require_none_given(names: Iterable[str], of: str, where: str) -> None:
    """Require that none of these options of the command is given, for each is ``of`` something else. Raises SpecError."""
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise SpecError(f"{option.opts[0]} is of {of}", where=clip(where, 200))


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


class _Directory(click.Path):
    """A path; a URI is refused, which would be a directory of that name."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if isinstance(value, str) and "://" in value:
            self.fail(f"{value} is a URI, and no directory", param, ctx)
        return named_directory(Path(os.fsdecode(super().convert(value, param, ctx))))


DIRECTORY: Final = _Directory(file_okay=False, path_type=Path)
"""The type of an option that names a directory."""

PLACE: Final = _Directory(path_type=Path)
"""The type of an option that names a directory, where another file is an error of ours, which a gate reports."""


class _File(click.Path):
    """A file that is written at the end: if it cannot be, that is an error at the beginning."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        require_file_place(path)
        return path


FILE: Final = _File(path_type=Path)
"""The type of an option that names a file to be written."""


def _given(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path:
    return require_specs(specs_here() if value is None else value.resolve())


def specs_option(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the option ``--specs``, a directory that has been made absolute and is not empty."""
    return click.option(
        "--specs",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        callback=_given,
        metavar="DIR",
        help="Your own modules, plans, mutants and examples, which extend the shipped ones; default ./specs.",
    )(command)
