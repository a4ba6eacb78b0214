"""The option ``--specs``, which is the same wherever a plan, a module or an example is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.toolchain.spec_files import require_specs, specs_here

if TYPE_CHECKING:
    from collections.abc import Callable


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
