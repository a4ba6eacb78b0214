"""``pyharness run``: a protocol over sockets, with snapshots of which each must hold what the run conserves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from pyharness.base.errors import ConformanceError
from pyharness.cli.shared_options import DIRECTORY
from pyharness.lab.runtime.system_run import RunSetting, run_system
from pyharness.lab.runtime.vertex_process import RUNNING

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.lab.runtime.system_run import RunResult

FORMAT = "pyharness-run/2"


@click.command()
@click.option(
    "--topology",
    metavar="GRAPH",
    default="ring:3",
    show_default=True,
    help="One graph, such as ring:3, kuper or diamond:4.",
)
@click.option("--protocol", type=click.Choice(list(RUNNING)), default="ChandyLamport", show_default=True)
@click.option("--out", type=DIRECTORY, required=True, help="A new directory, for the logs.")
@click.option(
    "--seconds", type=click.FloatRange(0.1, 86_400), default=5.0, show_default=True, help="How long it runs."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**53), default=1, show_default=True, help="Of what is random."
)
@click.option("--bug", default="", metavar="NAME", help="Switch on a seeded bug of the protocol.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def run(
    context: click.Context,
    /,
    *,
    topology: str,
    protocol: str,
    out: Path,
    seconds: float,
    seed: int,
    bug: str,
    as_json: bool,
) -> None:
    """Run a protocol as processes of this machine, one for each of the graph, with a pair of sockets for each channel.

    The machines are those that the specs check. ChandyLamport runs a bank that transfers money, the barriers a
    keyed word count. --out gets the logs, which `pyharness validate` checks against the spec.

    Exits with 0 at the end, with 1 if a machine refused a message, or if a snapshot has lost something or has it twice,
    with 2 for what cannot be run, with 3 if a process was killed or nothing went on, and with 4 if something cannot be
    written.
    """
    setting = RunSetting(topology, protocol, seconds=seconds, seed=seed, bug=bug)
    result = run_system(setting, out)
    wrong = result.inconsistent(protocol)
    click.echo(
        json.dumps(_document(result, setting, out), indent=2) if as_json else _text(result, setting, out)
    )
    context.exit(ConformanceError.exit_code if wrong else 0)


def _text(result: RunResult, setting: RunSetting, out: Path) -> str:
    counted = f"{_many(result.messages, 'message')}, {_many(len(result.snapshots), 'snapshot')}"
    lines = [f"{setting.protocol} on {setting.topology}: {counted}", f"  log       {out / 'logs'}"]
    wrong = result.inconsistent(setting.protocol)
    lines += [f"  WRONG     {each.id}: {each.lost:,} lost, {each.twice:,} there twice" for each in wrong]
    twice = sum(each.twice for each in result.snapshots)
    if twice and not wrong:
        lines.append(f"  twice     {_many(twice, 'record')}, which come again after a restore")
    if setting.bug:
        lines.append(f"  bug       {setting.bug} made a difference {_many(result.effects, 'time')}")
    return "\n".join(lines)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _document(result: RunResult, setting: RunSetting, out: Path) -> dict[str, object]:
    return {
        "format": FORMAT,
        "protocol": setting.protocol,
        "topology": setting.topology,
        "directory": str(out),
        "messages": result.messages,
        "snapshots": [
            {"id": each.id, "in_flight": each.in_flight, "lost": each.lost, "twice": each.twice}
            for each in result.snapshots
        ],
        "consistent": not result.inconsistent(setting.protocol),
        "effects": result.effects,
    }
