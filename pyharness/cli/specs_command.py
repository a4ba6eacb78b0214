"""``pyharness plan specs``: whether the modules keep to their form."""

from __future__ import annotations

from pathlib import Path

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_utf8
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import require_own, specs_here
from pyharness.models.spec_form import form_problems, mended
from pyharness.tla.modules.places import place_of


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Mend blanks, boxes and the last end of line.")
@click.pass_context
def specs(context: click.Context, files: tuple[Path, ...], *, fix: bool) -> None:
    """Check the form of FILES, by default of the modules in ./specs, else of those shipped.

    That is: ASCII, no tabs, short lines, closed boxes, head and foot.

    Exits with 0 if all keep to it, with 2 if one does not, and says where.
    """
    wrong = 0
    for path in files or sorted(specs_here().rglob("*.tla")):
        text = read_utf8(path, MOST_MODULE_BYTES)
        if fix and mended(text) != text:
            text = mended(text)
            write_named(require_own(path), text)
            click.echo(f"mended {place_of(path, 1).file}")
        for line, problem in form_problems(path.stem, text):
            wrong += 1
            click.echo(f"{place_of(path, line)}: {problem}", err=True)
    context.exit(SpecError.exit_code if wrong else 0)
