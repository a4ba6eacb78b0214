"""``pyharness trace replay`` and ``pyharness trace export``: what can be done with a trace in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import ConformanceError, IncompleteError, SpecError
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import is_file
from pyharness.cli.application_options import application_options, setting_of
from pyharness.cli.shared_options import FILE
from pyharness.machines.replay import replay as replay_trace
from pyharness.machines.systems import implementation_of, known_properties
from pyharness.models.trace_system import read_behaviour, system_for
from pyharness.show.report.formats.export_formats import FORMATS, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.machines.replay import Replay
    from pyharness.machines.systems import System
    from pyharness.tla.tlc import Trace


def _read(path: Path, nth: int | None) -> tuple[Trace, dict[str, Any]]:
    """Read a trace; when it is the first of several because none was chosen, print that on standard error."""
    try:
        trace, meta = read_behaviour(path, nth or 1)
    except SpecError as error:
        beside = (path.parent / f"{path.stem}.itf.json", Path("traces", f"{path.name}.itf.json"))
        near = next((each for each in beside if each != path and is_file(each)), None)
        raise (
            SpecError(error.message, where=error.where, hint=f"did you mean {near}?") if near else error
        ) from None
    if nth is None and "traces" in meta:
        click.echo(f"the first of {meta['traces']} traces; --nth takes another", err=True)
    return trace, meta


_nth = click.option(
    "--nth", type=click.IntRange(1), metavar="N", help="Which trace of several in TLC's output."
)


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@_nth
@click.option(
    "--protocol",
    metavar="NAME[:MUTANT]",
    help="The implementation that replays it; by default the spec that the trace names, without its mutant, or "
    "whose variables it has.",
)
@application_options
def replay(trace: Path, protocol: str | None, nth: int | None, *, setting: Mapping[str, Any]) -> None:
    """Take every step of TRACE with the Python implementation.

    TRACE is ITF, what TLC printed (with or without -tool), a behaviour that TLC wrote with -simulate, or a schedule
    (a file that ends in .toml).

    Exits with 0 if all states agree, with 1 at the first that does not, and prints where and how, with 3 if the trace
    is given as a violation of a property of this very implementation, and is not: its end may be cut off.
    """
    read, meta = _read(trace, nth)
    result = _replayed(
        read, system_for(read, {**meta, **setting_of(setting)}, protocol, where=str(trace)), trace
    )
    click.echo("1 step agrees" if result.steps == 1 else f"{result.steps} steps agree")
    for name, step in result.violated_at.items():
        click.echo(f"{name} is violated at step {step}")
    if result.divergence is not None:
        raise ConformanceError(str(result.divergence), where=str(trace))
    missing = _not_violated(meta, result)
    of_another = (meta.get("mutant") or "") != (protocol or "").partition(":")[2]
    if missing is not None and not of_another:
        raise IncompleteError(
            f"the trace is given as a violation of {missing}, and is not",
            where=str(trace),
            hint="is its end cut off? make it again",
        )


def _replayed(trace: Trace, system: System, path: Path) -> Replay:
    """Replay a trace; an error in it names its file."""
    try:
        return replay_trace(trace, system)
    except SpecError as error:
        if error.where is None:
            raise SpecError(error.message, where=str(path), hint=error.hint) from error
        raise


def _not_violated(meta: Mapping[str, Any], result: Replay) -> str | None:
    """Return the property that a trace names as violated, if Python has it and found no violation."""
    violated, spec = meta.get("violated"), meta.get("spec")
    protocol = implementation_of(spec) if isinstance(spec, str) else None
    if not isinstance(violated, str) or protocol is None or violated not in known_properties(protocol):
        return None
    return None if violated in result.violated_at else violated


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@_nth
@click.option("--to", "target", type=click.Choice(sorted(FORMATS)), required=True, help="The format.")
@click.option("--out", type=FILE, help="A file instead of standard output.")
def export(trace: Path, nth: int | None, target: str, out: Path | None) -> None:
    """Write TRACE in another format.

    TRACE is ITF, what TLC printed (with or without -tool), a behaviour that TLC wrote with -simulate, or a schedule (a
    file that ends in .toml). Of a trace that `check FOO.tla --out` or the explorer of a
    module left there are html, itf and text, a table of variables and steps.
    """
    write_trace(_read(trace, nth), target, out)


def write_trace(read: tuple[Trace, dict[str, Any]], target: str, out: Path | None) -> None:
    """Write a trace, with its meta, in a format: to ``out``, or else to standard output."""
    text = written(target, *read)
    if out is not None:
        write_named(out, text)
    else:
        click.echo(text, nl=False)
