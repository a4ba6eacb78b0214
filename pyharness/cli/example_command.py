"""``pyharness trace example``: the worked examples of the literature, of users' questions, or a schedule of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.base.toolchain.spec_files import named_files
from pyharness.cli.shared_options import FILE, specs_option
from pyharness.cli.trace_commands import write_trace
from pyharness.gate.jobs.example_check import check_schedule
from pyharness.machines.explain.readable_values import Wording
from pyharness.machines.replay.schedule import load_schedule
from pyharness.machines.replay.worked_examples import example_names, explain, judge, load_example, take
from pyharness.models.machine_tools import find_tools
from pyharness.models.trace_system import read_behaviour
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.state_rows import rows
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn, to_tla

if TYPE_CHECKING:
    from pyharness.gate.jobs.example_check import ExampleResult
    from pyharness.machines.replay.schedule import ExpectedSnapshot, Schedule
    from pyharness.machines.replay.worked_examples import Taken
    from pyharness.show.report.trace.state_rows import Row
    from pyharness.tla.values import Value

FORMAT = "pyharness-example/1"
"""Names the JSON document and its version."""


@click.command()
@click.argument("name", metavar="[NAME|FILE.toml]", required=False)
@click.option("--list", "as_list", is_flag=True, help="Print the names of the examples, one a line.")
@click.option("--check", is_flag=True, help="Also check with TLC; without NAME, check all examples.")
@click.option("--text", "as_text", is_flag=True, help="Print where it is from and its steps, too.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.option(
    "--to", "target", type=click.Choice(sorted(FORMATS)), help="Write its steps as a trace of this format."
)
@click.option("--out", type=FILE, help="With --to: a file instead of standard output.")
@specs_option
def example(
    name: str | None,
    *,
    as_list: bool,
    check: bool,
    as_text: bool,
    as_json: bool,
    target: str | None,
    out: Path | None,
    specs: Path,
) -> None:
    """Take a worked example with the implementation, and print the snapshot that it records.

    Of one about checkpoints, it prints what is expected of the last state; --text adds the question of users that it
    answers.

    Of an example that is no computation, or that records wrongly, it prints what is refused or violated, where
    and why. Exits with 0 if all is as published, with 1 if not.

    A file of your own, which docs/reference/examples.md describes, begins like this:

    \b
      name = "mine"
      title = "Two processes"
      source = "a whiteboard"
      summary = "an item overtakes nothing"
      protocol = "ChandyLamport"
      schedule = ["Send C12 m", "Initiate P1", "Accept C12 m", "AcceptMarker C12", "AcceptMarker C21"]
      graph = { processes = 2, channels = [[1, 2], [2, 1]], initiators = [1] }
      application = { items = ["m"], placement = { P1 = ["m"], P2 = [] } }
    """  # noqa: D301 - click reads the \b
    if target is not None:
        if name is None:
            raise SpecError("which example?", hint="`pyharness trace example --list` prints their names")
        write_trace(read_behaviour(_file(name, specs), 1), target, out)
        return
    if out is not None:
        raise SpecError("--out is of --to", hint="such as --to html --out example.html")
    if as_list:
        names = example_names(specs)
        click.echo(json.dumps(names) if as_json else "\n".join(names))
    elif name is not None:
        schedule = load_schedule(Path(name)) if name.endswith(".toml") else load_example(name, specs)
        _show(schedule, specs, check=check, as_text=as_text, as_json=as_json)
    elif check:
        _check_all(specs, as_json=as_json)
    else:
        raise SpecError("which example?", hint="`pyharness trace example --list` prints their names")


def _file(name: str, specs: Path) -> Path:
    """Return the file of an example by its name, or a file by its path. Raises SpecError if there is none."""
    if name.endswith(".toml"):
        return Path(name)
    files = named_files("examples", specs)
    if name not in files:
        raise SpecError.unknown("example", name, files)
    return files[name]


def _show(schedule: Schedule, specs: Path, *, check: bool, as_text: bool, as_json: bool) -> None:
    """Print one example; raise ConformanceError when it does not come out as published."""
    taken = take(schedule)
    difference = judge(schedule, taken)
    checked = check_schedule(schedule, find_tools(specs)) if check and difference is None else None
    if as_json:
        click.echo(json.dumps(_document(schedule, taken, checked), indent=2, ensure_ascii=False))
    else:
        if as_text:
            click.echo(_steps(schedule))
        if taken.snapshot is not None:
            click.echo("\n".join(taken.snapshot.lines(schedule.topology)))
        for row in _in_words(schedule, taken):
            click.echo(f"{row.name}: {row.words or row.text}")
        if taken.refusal is not None or schedule.violates is not None:
            click.echo(explain(schedule, taken))
        if checked is not None and checked.agreed:
            click.echo("TLC agrees")
    if difference is not None:
        raise ConformanceError(f"implementation: {difference}", where=f"example {schedule.name}")
    if checked is not None and not checked.agreed:
        raise ConformanceError(checked.message, where=f"example {schedule.name}")


def _check_all(specs: Path, *, as_json: bool) -> None:
    """Check every example with TLC; raise ConformanceError when one does not come out as published."""
    results = []
    for name in example_names(specs):
        schedule = load_example(name, specs)
        results.append(check_schedule(schedule, find_tools(specs)))
        if not as_json:
            click.echo(f"{name}: {'agreed' if results[-1].agreed else results[-1].message}")
    if as_json:
        rows = [{"name": r.name, "agreed": r.agreed, "message": r.message} for r in results]
        click.echo(json.dumps({"format": FORMAT, "examples": rows}, indent=2, ensure_ascii=False))
    wrong = [result.name for result in results if not result.agreed]
    if wrong:
        raise ConformanceError(f"not as published: {', '.join(wrong)}")


def _steps(schedule: Schedule) -> str:
    lines = [schedule.title, schedule.source, schedule.summary, ""]
    if schedule.question:
        lines += [f"question: {schedule.question}", ""]
    lines += [f"{number:3}. {step.written}" for number, step in enumerate(schedule.steps, start=1)]
    return "\n".join([*lines, ""])


def _document(schedule: Schedule, taken: Taken, checked: ExampleResult | None) -> dict[str, object]:
    refusal = taken.refusal
    return {
        "format": FORMAT,
        "name": schedule.name,
        "title": schedule.title,
        "source": schedule.source,
        "summary": schedule.summary,
        "question": schedule.question or None,
        "protocol": schedule.protocol,
        "constants": dict(schedule.constants) or None,
        "topology": schedule.topology.id,
        "steps": [step.text for step in schedule.steps],
        "snapshot": _snapshot(schedule, taken.snapshot),
        "occurs": taken.occurs if taken.snapshot else None,
        "ending": _ending(schedule, taken) or None,
        "refused": {"step": refusal.step, "text": refusal.text, "enabled": refusal.enabled}
        if refusal
        else None,
        "violated": [{"property": name, "step": number} for name, number in taken.violated],
        "why": schedule.why or None,
        "tlc": {"agreed": checked.agreed, "message": checked.message} if checked else None,
    }


def _ending(schedule: Schedule, taken: Taken) -> dict[str, str]:
    """Return the variables that the schedule expects something of, as they are in the last state, as TLA+."""
    if taken.refusal is not None:
        return {}
    return {name: to_tla(taken.ending[name]) for name in schedule.ending}


def _in_words(schedule: Schedule, taken: Taken) -> tuple[Row, ...]:
    """Return the same, a row for each process and channel, as the pages of traces say it."""
    if taken.refusal is not None or not schedule.ending:
        return ()
    last = Trace((TraceStep(None, Fn(taken.ending.items())),))
    expected: dict[Value, Value] = {name: taken.ending[name] for name in schedule.ending}
    return rows(expected, diagram_of(last).lanes, Wording(last, {}))


def _snapshot(schedule: Schedule, snapshot: ExpectedSnapshot | None) -> dict[str, object] | None:
    if snapshot is None:
        return None
    states = [sorted(map(str, s)) if isinstance(s, frozenset) else s for s in snapshot.states]
    topology = schedule.topology
    names = map(topology.channel_name, topology.channels)
    return {
        "states": {topology.process_name(p): state for p, state in enumerate(states, start=1)},
        "channels": dict(zip(names, snapshot.channels, strict=True)),
    }
