"""``pyharness hold flink``: compare Apache Flink's own barrier handlers with the spec's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.hold.flink.event_sequences import Grammar, parse_sequence, sequence_text
from pyharness.hold.flink.flink_classes import start_flink
from pyharness.hold.flink.handler_comparison import Comparer, check_events, side_by_side
from pyharness.hold.flink.handler_runs import Request, compare_each, tour_each
from pyharness.hold.flink.real_handlers import FLINK_MODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.hold.flink.flink_classes import FlinkClasses
    from pyharness.hold.flink.handler_runs import HandlerRun
    from pyharness.hold.flink.transition_tour import Tour

_SHOWN = 5
"""The number of differences of a tour that are shown."""


@click.command()
@click.option(
    "--mode", "modes", type=click.Choice(FLINK_MODES), multiple=True,
    help="How barriers are handled; may be repeated. All modes if not given.",
)  # fmt: skip
@click.option("--inputs", type=click.IntRange(1, 5), default=2, show_default=True, help="Of the operator.")
@click.option("--ids", type=click.IntRange(1, 9), default=2, show_default=True, help="Checkpoints.")
@click.option("--length", type=click.IntRange(1, 100), help="Of a sequence; 4 for all, 12 for random ones.")
@click.option("--random", "number", type=click.IntRange(1), help="This many random sequences instead of all.")
@click.option("--pending", type=click.IntRange(1, 200), help="Instead, about this many pending checkpoints.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the random sequences.")
@click.option("--any-order", is_flag=True, help="Ids on an input come in any order, and twice.")
@click.option(
    "--own-alignment", is_flag=True, help="Barriers may carry their own alignment, and may wait in a queue."
)
@click.option("--checkpoints-after-ends/--no-checkpoints-after-ends", "after_ends", default=True, show_default=True,
    help="Flink's option for checkpoints after tasks finish; without, an end aborts what is pending.",
)  # fmt: skip
@click.option("--sequence", metavar="EVENTS", help="One sequence, such as '0:barrier 1, 1:a, 1:barrier 1'.")
@click.option("--transitions", is_flag=True, help="Every transition of TLC's graph of the handler, instead.")
@click.option("--jar", type=click.Path(path_type=Path), help="Another flink-dist jar than the installed one.")
@click.pass_context
def flink(
    context: click.Context,
    *,
    modes: Sequence[str],
    inputs: int,
    ids: int,
    length: int | None,
    number: int | None,
    pending: int | None,
    seed: int,
    any_order: bool,
    own_alignment: bool,
    after_ends: bool,
    sequence: str | None,
    transitions: bool,
    jar: Path | None,
) -> None:
    """Give Flink's real handlers and the spec's the same sequences of events, and compare them after every event.

    Differences are made as small as they go and shown side by side, but those that are known: they must be there.

    Exits with 0 if nothing else differs, with 1 at an unexpected difference or when an expected one is not there any
    more, with 2 for bad input and without the extra `flink`.
    """
    wanted = tuple(modes) or FLINK_MODES
    if sequence is not None:
        events = parse_sequence(sequence)
        for mode in wanted:
            check_events(events, inputs, mode)
        _show_sequence(context, start_flink(jar), wanted, inputs, events, after_ends=after_ends)
        return
    if transitions:
        _show_tours(
            context,
            tour_each(wanted, inputs, ids, jar, own_alignment=own_alignment, after_ends=after_ends),
            inputs,
            ids,
        )
        return
    if pending is not None and inputs < 2:
        raise SpecError(
            "--pending is about checkpoints that wait for an input", hint="give --inputs 2 or more"
        )
    default = 4 if number is None else 12
    requests = [
        Request(
            Grammar(mode, inputs, ids, any_order, own_alignment),
            length or default,
            number,
            seed,
            after_ends,
            pending,
        )
        for mode in wanted
    ]
    runs = []
    for run in compare_each(requests, jar):
        runs.append(run)
        click.echo(_summary(run))
    context.exit(0 if all(run.agreed for run in runs) else ConformanceError.exit_code)


def _summary(run: HandlerRun) -> str:
    grammar, request = run.request.grammar, run.request
    which = (
        f"random, seed {request.seed}, of length {request.length}"
        if request.random
        else f"all of length {request.length}"
    )
    if request.pending:
        which = f"about {request.pending} checkpoints pending"
    unexpected, known = sum(count for _, count in run.unexpected.values()), sum(run.expected.values())
    line = (
        f"{grammar.mode}: Flink {run.version}, {grammar.inputs} inputs, {grammar.ids} ids: "
        f"{run.sequences:,} sequences ({which}), {run.events:,} events, "
        f"{run.seconds:.0f} s ({run.sequences / max(run.cpu_seconds, 0.01):,.0f} a second of CPU); "
        f"differences: {unexpected:,} unexpected, {known:,} expected"
    )
    lines = [line, *(f"  {count:,} as expected: {name}" for name, count in sorted(run.expected.items()))]
    for found, count in sorted(
        run.unexpected.values(), key=lambda each: (len(each[0].events), each[0].inputs)
    ):
        lines += [
            "",
            f"Unexpected, in {count:,} sequences; with {found.inputs} inputs, {sequence_text(found.events)}",
        ]
        lines += [side_by_side(found)]
    lines += [f"Not as expected: {case.mode}: {case.sequence}: {now}" for case, now in run.changed]
    if run.stopped:
        lines += ["", "Stopped: there are too many differences to look at."]
    return "\n".join(lines)


def _show_sequence(
    context: click.Context,
    classes: FlinkClasses,
    modes: Sequence[str],
    inputs: int,
    events: tuple[Any, ...],
    *,
    after_ends: bool,
) -> None:
    """Show one sequence in each mode: that both do the same, or where they differ."""
    differ = False
    for mode in modes:
        found = Comparer(classes, mode, after_ends=after_ends).compare(events, inputs)
        if found is None:
            click.echo(f"{mode}: the same in Flink {classes.version}, after every event")
        else:
            differ = True
            click.echo(f"{mode}: Flink {classes.version} differs\n{side_by_side(found)}")
    context.exit(ConformanceError.exit_code if differ else 0)


def _show_tours(context: click.Context, found: Iterable[Tour], inputs: int, ids: int) -> None:
    """Count what Flink did at every transition in each mode."""
    tours = []
    for tour in found:
        tours.append(tour)
        click.echo(_tour_summary(tour, inputs, ids))
    context.exit(0 if all(tour.agreed for tour in tours) else ConformanceError.exit_code)


def _tour_summary(tour: Tour, inputs: int, ids: int) -> str:
    line = (
        f"{tour.mode}: Flink {tour.version}, {inputs} inputs, {ids} ids: {tour.states:,} states of TLC's graph, "
        f"{tour.transitions:,} transitions; {tour.same:,} taken with the same effect, "
        f"{tour.expected:,} with an expected difference, {tour.after_expected:,} after one, "
        f"{len(tour.unexpected):,} with an unexpected one; "
        f"at {len(tour.apart):,} the operator differs from the spec"
    )
    lines = [line]
    lines += [f"\n{side_by_side(found)}" for found in tour.unexpected[:_SHOWN]]
    lines += [
        f"\n{sequence_text(each.events)}\n  TLC:      {each.spec}\n  operator: {each.operator}"
        for each in tour.apart[:_SHOWN]
    ]
    return "\n".join(lines)
