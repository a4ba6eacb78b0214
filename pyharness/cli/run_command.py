"""``pyharness run``: the protocols over sockets, with snapshots that are stored and can be restored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.own_files import own_place
from pyharness.cli.shared_options import DIRECTORY
from pyharness.lab.runtime.system_run import RunSetting, run_system, snapshot_of_run
from pyharness.lab.runtime.vertex_process import RUNNING

if TYPE_CHECKING:
    from pyharness.lab.runtime.system_run import RunResult

FORMAT = "pyharness-run/1"


@click.command()
@click.option(
    "--topology", metavar="GRAPH", help="One graph, such as ring:3, kuper or diamond:4.  [default: ring:3]"
)
@click.option("--protocol", type=click.Choice(list(RUNNING)), help="[default: ChandyLamport]")
@click.option("--out", type=DIRECTORY, help="A new directory, for logs, snapshots and output.")
@click.option(
    "--restore",
    type=click.Path(path_type=Path),
    metavar="SNAPSHOT",
    help="Go on from this file of a run's directory, with its graph and protocol.",
)
@click.option(
    "--seconds", type=click.FloatRange(0.1, 86_400), default=5.0, show_default=True, help="How long it runs."
)
@click.option(
    "--every",
    type=click.FloatRange(0, 3_600_000),
    default=100.0,
    show_default=True,
    metavar="MS",
    help="Milliseconds between two snapshots; 0 for none.",
)
@click.option(
    "--delay",
    type=click.FloatRange(0, 10_000),
    default=1.0,
    show_default=True,
    metavar="MS",
    help="Mean milliseconds between the turns of a process.",
)
@click.option("--window", type=click.IntRange(1, 1000), help="Bounds the messages on the way.  [default: 4]")
@click.option("--seed", type=click.IntRange(0, 2**53), help="Of what is random.  [default: 1]")
@click.option(
    "--limit",
    type=click.FloatRange(1, 3600),
    default=30.0,
    show_default=True,
    help="Seconds that anything may take that is waited for.",
)
@click.option("--bug", default="", metavar="NAME", help="Switch on a seeded bug of the protocol.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def run(
    *,
    topology: str | None,
    protocol: str | None,
    out: Path | None,
    restore: Path | None,
    seconds: float,
    every: float,
    delay: float,
    window: int | None,
    seed: int | None,
    limit: float,
    bug: str,
    as_json: bool,
) -> None:
    """Run a protocol as so many processes of this machine, with TCP connections over loopback as channels.

    The machines are those that the specs check. ChandyLamport and StopTheWorld run a bank that transfers money, the
    barriers a keyed word count. --out gets logs, which `pyharness validate` holds against the spec, and the snapshots
    that are complete, from which --restore goes on after a failure.

    Exits with 0 at the end, with 1 if a machine refused what came, or if the snapshot to be restored has lost something
    or has it twice, with 2 for what cannot be run, with 3 if a process was killed or nothing went on, and with 4 if
    something cannot be written.
    """
    given = {"topology": topology, "protocol": protocol, "window": window, "seed": seed}
    restored = None
    if restore is not None:
        if out is not None or any(value is not None for value in given.values()):
            raise click.UsageError(
                "--restore goes on with a run as it was: graph, protocol, seed, window and --out"
            )
        out = own_place(restore.absolute().parent.parent)
        restored = snapshot_of_run(restore)
        restored.require_law(str(restore))
        given = {name: getattr(restored, name) for name in given}
    if out is None:
        raise click.UsageError("name a new directory by --out, or a snapshot by --restore")
    setting = RunSetting(
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
        seconds=seconds,
        every=every,
        delay=delay,
        limit=limit,
        bug=bug,
    )
    came = run_system(setting, out, restored)
    click.echo(
        json.dumps(_document(came, setting, out), indent=2) if as_json else cleaned(_text(came, setting, out))
    )


def _text(came: RunResult, setting: RunSetting, out: Path) -> str:
    system = f"{setting.protocol} on {setting.topology}, incarnation {came.incarnation}"
    lines = [f"{system}: {_many(came.messages, 'message')}, {_many(len(came.snapshots), 'snapshot')}"]
    lines.append(f"  log       {out / 'logs' / str(came.incarnation)}")
    if came.snapshots:
        lines.append(f"  newest    {came.snapshots[-1]}")
    if came.dropped:
        lines.append(f"  dropped   {_many(came.dropped, 'connection')}, none of this run")
    if setting.bug:
        lines.append(f"  bug       {setting.bug} made a difference {came.effects:,} times")
    return "\n".join(lines)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _document(came: RunResult, setting: RunSetting, out: Path) -> dict[str, object]:
    return {
        "format": FORMAT,
        "protocol": setting.protocol,
        "topology": setting.topology,
        "directory": str(out),
        "incarnation": came.incarnation,
        "messages": came.messages,
        "snapshots": [str(path) for path in came.snapshots],
        "dropped": came.dropped,
        "effects": came.effects,
        "states": {str(process): state for process, state in came.states.items() if state is not None},
    }
