"""``pyharness replay`` and ``pyharness export``: what can be done with a trace in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.cli.application_options import application_options
from pyharness.errors import ConformanceError, SpecError
from pyharness.plan.trace_files import read_behaviour
from pyharness.plan.trace_system import system_for
from pyharness.replay import replay as replay_trace
from pyharness.report.formats.export_formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.replay import Replay
    from pyharness.tlc import Trace

__all__ = ["export", "replay", "write_trace"]

REPLAY_FORMAT = "pyharness-replay/1"


def _read(path: Path, nth: int | None) -> tuple[Trace, dict[str, Any]]:
    """Read a trace; when it is the first of several because none was chosen, say so on standard error."""
    trace, meta = read_behaviour(path, nth or 1)
    if nth is None and "traces" in meta:
        click.echo(f"the first of {meta['traces']} traces; --nth takes another", err=True)
    return trace, meta


def replay_file(
    path: Path, protocol: str | None = None, nth: int | None = None, said: Mapping[str, Any] | None = None
) -> Replay:
    """Replay the trace in ``path``, its ``nth``, on ``NAME`` or ``NAME:MUTANT``.

    What is ``said`` of its application counts before what the file says.
    """
    trace, meta = _read(path, nth)
    system = system_for(trace, {**meta, **(said or {})}, protocol, where=str(path))
    try:
        return replay_trace(trace, system)
    except SpecError as error:
        if error.where is None:
            raise SpecError(error.message, where=str(path), hint=error.hint) from error
        raise


_nth = click.option(
    "--nth", type=click.IntRange(1), metavar="N", help="Which trace of several in TLC's output."
)


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@_nth
@click.option(
    "--protocol",
    metavar="NAME[:MUTANT]",
    help="The implementation to hold it against; by default the spec that the trace names, without its mutant, or "
    "whose variables it has.",
)
@application_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def replay(
    trace: Path, protocol: str | None, nth: int | None, *, said: Mapping[str, Any], as_json: bool
) -> None:
    """Take every step of TRACE with the Python implementation.

    TRACE is ITF, what TLC printed (with or without -tool), a behaviour that TLC wrote with -simulate, or a schedule
    (a file that ends in .toml).

    Exits with 0 if all states agree, with 1 at the first that does not, and says where and how.
    """
    result = replay_file(trace, protocol, nth, said)
    if as_json:
        document = {
            "format": REPLAY_FORMAT,
            "agreed": result.agreed,
            "steps": result.steps,
            "violated": dict(result.violated_at),
            "divergence": None if result.divergence is None else str(result.divergence),
        }
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo(f"{result.steps} steps agree")
        for name, step in result.violated_at.items():
            click.echo(f"{name} is violated at step {step}")
    if result.divergence is not None:
        raise ConformanceError(str(result.divergence), where=str(trace))


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@_nth
@click.option("--to", "target", type=click.Choice(sorted(FORMATS)), required=True, help="The format.")
@click.option("--out", type=click.Path(path_type=Path), help="A file instead of standard output.")
def export(trace: Path, nth: int | None, target: str, out: Path | None) -> None:
    """Write TRACE in another format.

    TRACE is ITF, what TLC printed (with or without -tool), a behaviour that TLC wrote with -simulate, or a schedule (a
    file that ends in .toml). A picture in PNG needs --out.
    """
    write_trace(_read(trace, nth), target, out)


def write_trace(read: tuple[Trace, dict[str, Any]], target: str, out: Path | None) -> None:
    """Write a trace, with its meta, in a format: to ``out``, or else to standard output.

    Raises SpecError for a picture without a file, and for a file that cannot be written.
    """
    written = FORMATS[target](*read)
    if out is not None:
        try:
            out.write_bytes(written if isinstance(written, bytes) else written.encode())
        except OSError as error:
            raise SpecError(f"cannot be written: {error.strerror}", where=str(out)) from error
    elif isinstance(written, bytes):
        raise SpecError(f"{target} is no text", hint=f"name a file: --out trace.{target}")
    else:
        click.echo(written, nl=False)
