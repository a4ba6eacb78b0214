"""``pyharness systems``: run real systems, crash them, and judge the snapshots that they record by the theory."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pyharness.base.errors import ConformanceError, IncompleteError
from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.own_files import own_place, write_text
from pyharness.cli.progress import progress_line
from pyharness.cli.shared_options import DIRECTORY, FILE
from pyharness.lab.real_systems.all_systems import SYSTEMS
from pyharness.lab.real_systems.held_rules import held_of_document, matrix_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.lab.real_systems.held_rules import Held

_MOST: Final = 1024 * 1024


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, type=click.Choice(list(SYSTEMS)))
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Of schedules, and of the moments of crashes."
)
@click.option("--crashes", type=click.IntRange(0, 1_000_000), help="Number of crashes of a system.")
@click.option("--kills", type=click.IntRange(0, 100_000), help="Number of processes of a system to kill.")
@click.option("--sequences", type=click.IntRange(0), help="Number of random sequences given to a system.")
@click.option("--epochs", type=click.IntRange(1, 3), help="Of which all sequences in order are tried.")
@click.option(
    "--out",
    type=DIRECTORY,
    default=Path("build/systems"),
    show_default=True,
    help="Where the results are kept.",
)
@click.option("--page", type=FILE, help="Write all results there as a page with the matrix.")
@click.pass_context
def systems(
    context: click.Context,
    *,
    names: Sequence[str],
    seed: int,
    crashes: int | None,
    kills: int | None,
    sequences: int | None,
    epochs: int | None,
    out: Path,
    page: Path | None,
) -> None:
    """Run real systems, crash them at moments that the seed chooses, and judge every snapshot that they record.

    NAME is one or more of spark-batches, bytewax, spark-epochs and flink-log; with none, the kept results are shown.

    Exits with 0 if every rule held, with 1 if one did not (the system's files are kept, and their place is printed), with 3
    if nothing was crashed or judged, with 2 without the extra that a system needs.
    """
    chosen = {"crashes": crashes, "kills": kills, "sequences": sequences, "epochs": epochs}
    given = {name: number for name, number in chosen.items() if number is not None}
    found = []
    for name in names:
        held = _run(name, seed, given)
        write_text(out / f"{name}.json", json.dumps(held.to_document(), indent=2) + "\n")
        found.append(held)
        click.echo(held.text())
    kept = [_kept(path) for path in (out / f"{name}.json" for name in SYSTEMS) if path.is_file()]
    if not names:
        found = kept
        for held in found:
            click.echo(held.text())
    if not found:
        raise IncompleteError(
            "there are no results", where=str(out), hint=f"name a system: {', '.join(SYSTEMS)}"
        )
    if page is not None:
        write_text(own_place(page), matrix_page(kept))
    codes = {held.exit_code for held in found}
    worst = (ConformanceError.exit_code, IncompleteError.exit_code)
    context.exit(next((code for code in worst if code in codes), 0))


def _run(name: str, seed: int, given: dict[str, int]) -> Held:
    """Run a system in a directory of its own, which stays only if a rule did not hold."""
    system = SYSTEMS[name]
    place = Path(tempfile.mkdtemp(prefix=f"pyharness-{name}-"))
    keep = False
    try:
        with progress_line(f"starting {name}") as progress:
            held = system.hold(seed, {**system.numbers, **given}, place, progress)
        keep = any(rule.differences for rule in held.rules)
    finally:
        if keep:
            click.echo(f"what {name} left is in {place}", err=True)
        else:
            shutil.rmtree(place, ignore_errors=True)
    return held


def _kept(path: Path) -> Held:
    return held_of_document(json.loads(read_utf8(path, _MOST)), str(path))
