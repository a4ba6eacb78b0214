"""``pyharness trace example``: the worked examples of the literature, of users' questions, or a schedule of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.cli.shared_options import specs_option
from pyharness.gate.jobs.example_check import check_schedule
from pyharness.machines.explain.readable_values import Wording
from pyharness.machines.replay.schedule import load_schedule
from pyharness.machines.replay.worked_examples import example_names, explain, judge, load_example, take
from pyharness.models.machine_tools import find_tools
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.state_rows import rows
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from pyharness.machines.replay.schedule import Schedule
    from pyharness.machines.replay.worked_examples import Taken
    from pyharness.show.report.trace.state_rows import Row
    from pyharness.tla.values import Value


@click.command()
@click.argument("name", metavar="[NAME|FILE.toml]", required=False)
@click.option("--list", "as_list", is_flag=True, help="Print the names of the examples, one a line.")
@click.option("--check", is_flag=True, help="Also check with TLC.")
@click.option("--text", "as_text", is_flag=True, help="Print where it is from and its steps, too.")
@specs_option
def example(
    name: str | None,
    *,
    as_list: bool,
    check: bool,
    as_text: bool,
    specs: Path,
) -> None:
    """Take a worked example with the implementation, and print the snapshot that it records.

    Of one about checkpoints, it prints what is expected of the last state; --text adds the question of users that it
    answers.

    Of an example that is not a computation, or that records wrongly, it prints what is refused or violated, where
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
    if as_list:
        click.echo("\n".join(example_names(specs)))
        return
    if name is None:
        raise SpecError("which example?", hint="`pyharness trace example --list` prints their names")
    schedule = load_schedule(Path(name)) if name.endswith(".toml") else load_example(name, specs)
    taken = take(schedule)
    difference = judge(schedule, taken)
    checked = check_schedule(schedule, find_tools(specs)) if check and difference is None else None
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


def _steps(schedule: Schedule) -> str:
    lines = [schedule.title, schedule.source, schedule.summary, ""]
    if schedule.question:
        lines += [f"question: {schedule.question}", ""]
    lines += [f"{number:3}. {step.written}" for number, step in enumerate(schedule.steps, start=1)]
    return "\n".join([*lines, ""])


def _in_words(schedule: Schedule, taken: Taken) -> tuple[Row, ...]:
    """Return the expected last state of a schedule, a row for each process and channel, as pages of traces have it."""
    if taken.refusal is not None or not schedule.ending:
        return ()
    last = Trace((TraceStep(None, Fn(taken.ending.items())),))
    expected: dict[Value, Value] = {name: taken.ending[name] for name in schedule.ending}
    return rows(expected, diagram_of(last).lanes, Wording(last, {}))
