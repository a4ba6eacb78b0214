"""``pyharness replay`` and ``pyharness export``: what can be done with a trace in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.errors import ConformanceError, SpecError
from pyharness.pipeline.compose import items_of, system_of
from pyharness.replay import build_system
from pyharness.replay import replay as replay_trace
from pyharness.report import to_text
from pyharness.report.page import to_html
from pyharness.report.svg import to_svg
from pyharness.tlc import read_simulation
from pyharness.tlc.itf import from_itf, to_itf
from pyharness.topology import Topology

if TYPE_CHECKING:
    from pyharness.replay import Replay
    from pyharness.tlc import Trace

__all__ = ["export", "read_trace", "replay"]

_PICTURES = {"html": to_html, "svg": to_svg}
REPLAY_FORMAT = "pyharness-replay/1"
MOST_BYTES = 64 * 1024 * 1024


def read_trace(path: Path) -> tuple[Trace, dict[str, Any]]:
    """Read a trace from ITF JSON, or from a file that TLC's simulation mode wrote; with the document's meta.

    Raises SpecError for a file that cannot be read, is too large or is neither.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SpecError(f"more than {MOST_BYTES} bytes", where=str(path))
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise SpecError("not UTF-8 text", where=str(path)) from None
    if text.lstrip().startswith("{"):
        return from_itf(text, where=str(path))
    if not text.startswith("-"):
        raise SpecError("neither ITF JSON nor a behaviour that TLC wrote with -simulate", where=str(path))
    return read_simulation(path), {}


def replay_file(path: Path, protocol: str) -> Replay:
    """Replay the trace in ``path`` on ``NAME`` or ``NAME:MUTANT``."""
    trace, meta = read_trace(path)
    if "example" in meta:
        raise SpecError(
            "this is a worked example",
            where=str(path),
            hint=f"run `pyharness example {meta['example']} --check`",
        )
    name, _, mutant = protocol.partition(":")
    topo = trace.steps[0].state.get("topo")
    if not isinstance(topo, str):
        raise SpecError("the trace names no topology", where=f"{path}, variable topo")
    granularity = "action" if meta.get("granularity") == "action" else "event"
    topology = Topology.from_id(topo)
    if "application" in meta:
        system = system_of(meta, name, topology, granularity, mutant or None, where=str(path))
    else:
        system = build_system(name, topology, items_of(trace), granularity, mutant or None)
    return replay_trace(trace, system)


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
@click.option(
    "--to",
    "target",
    type=click.Choice(["itf", "text", "json", "html", "svg"]),
    required=True,
    help="The format.",
)
@click.option("--out", type=click.Path(path_type=Path), help="A file instead of standard output.")
def export(trace: Path, target: str, out: Path | None) -> None:
    """Write TRACE as ITF, as text, as JSON (ITF on one line), as a page or as a picture."""
    read, meta = read_trace(trace)
    kept = {key: value for key, value in meta.items() if not key.startswith("format")}
    if target == "text":
        text = to_text(read, meta.get("title") if isinstance(meta.get("title"), str) else None)
    elif target in _PICTURES:
        text = _PICTURES[target](read, kept)
    else:
        text = to_itf(read, kept)
        if target == "json":
            text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) + "\n"
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
