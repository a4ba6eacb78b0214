"""``pyharness replay`` and ``pyharness export``: what can be done with a trace in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.errors import ConformanceError, SpecError
from pyharness.pipeline.traced import read_trace, system_for
from pyharness.replay import replay as replay_trace
from pyharness.report import to_text
from pyharness.tlc.itf import to_itf

if TYPE_CHECKING:
    from pyharness.replay import Replay

__all__ = ["export", "replay"]

REPLAY_FORMAT = "pyharness-replay/1"


def replay_file(path: Path, protocol: str) -> Replay:
    """Replay the trace in ``path`` on ``NAME`` or ``NAME:MUTANT``."""
    trace, meta = read_trace(path)
    if "example" in meta:
        raise SpecError(
            "this is a worked example",
            where=str(path),
            hint=f"run `pyharness example {meta['example']} --check`",
        )
    return replay_trace(trace, system_for(trace, meta, protocol, where=str(path)))


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--protocol", required=True, metavar="NAME[:MUTANT]", help="The implementation to hold it against."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def replay(trace: Path, protocol: str, *, as_json: bool) -> None:
    """Take every step of TRACE with the Python implementation.

    Exits with 0 if all states agree, with 1 at the first that does not, and says where and how.
    """
    result = replay_file(trace, protocol)
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
@click.option("--to", "target", type=click.Choice(["itf", "text", "json"]), required=True, help="The format.")
@click.option("--out", type=click.Path(path_type=Path), help="A file instead of standard output.")
def export(trace: Path, target: str, out: Path | None) -> None:
    """Write TRACE as ITF, as text, or as JSON (ITF on one line)."""
    read, meta = read_trace(trace)
    kept = {key: value for key, value in meta.items() if not key.startswith("format")}
    if target == "text":
        text = to_text(read, meta.get("title") if isinstance(meta.get("title"), str) else None)
    else:
        text = to_itf(read, kept)
        if target == "json":
            text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) + "\n"
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
