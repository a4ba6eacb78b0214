"""``pyharness hold python``: compare an implementation with its spec in every reachable state, both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.base.toolchain.spec_files import module_directories
from pyharness.base.topology import NOTATION, parse_topologies
from pyharness.cli.application_options import setting_of, setting_options
from pyharness.cli.one_model import named_mutant
from pyharness.cli.progress import progress_line
from pyharness.cli.shared_options import specs_option
from pyharness.gate.plans.requested_model import protocol_model
from pyharness.machines.replay.wander import Wander
from pyharness.machines.systems import MUTANTS, find_mutant, find_protocol
from pyharness.models.bounds import Budget
from pyharness.models.machine_tools import find_tools
from pyharness.models.plan_consistency import no_mutant_of
from pyharness.show.report.formats.trace_text import to_text
from pyharness.show.report.trace.counterexample_table import MOST_STEPS
from pyharness.tla.modules.library import Library
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.values import Fn, parse_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyharness.hold.conformance.comparison import Conformance
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.table_rows import MismatchRow


@click.command()
@click.argument("subject", metavar="SPEC[:MUTANT]")
@click.option(
    "--topology", "wanted", multiple=True, required=True, metavar=NOTATION,
    help="A graph, or several of a kind; may be repeated. `pyharness topologies` shows what is meant.",
)  # fmt: skip
@setting_options
@click.option(
    "--first-order", is_flag=True,
    help="Also compare the formulas that `pyharness prove` proves, and evaluate their invariant.",
)  # fmt: skip
@click.option("--spec-mutant", metavar="NAME", help="Take this mutant of the spec instead of the spec.")
@click.option("--depth", type=click.IntRange(1), help="Follow behaviours for this many states only.")
@click.option(
    "--wander", type=click.IntRange(1), metavar="STATES",
    help="Walk at random, and compare the step from this many of the states on each graph only.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(1), default=1, help="Of the walks.")
@click.option("--seconds", type=click.IntRange(1), default=600, show_default=True, help="At most, for TLC.")
@click.option("--heap", type=click.IntRange(16), default=2048, show_default=True, help="MiB, for TLC.")
@specs_option
@click.pass_context
def conform(
    context: click.Context,
    subject: str,
    *,
    wanted: Sequence[str],
    setting: Mapping[str, Any],
    first_order: bool,
    spec_mutant: str | None,
    depth: int | None,
    wander: int | None,
    seed: int,
    seconds: int,
    heap: int,
    specs: Path,
) -> None:
    """Compare the implementation of SPEC, or its MUTANT, with TLC's state graph of SPEC.

    In every reachable state, by every action, the successors must be the same, and so must the initial states.

    With --first-order there is a third party: the formulas that `pyharness prove` proves for
    every graph must have the same successors, and their invariant must hold in each state. MUTANT is then theirs, too.

    Exits with 0 if they are, with 1 at a mismatch, 2 for bad input, 3 if TLC's graph is not complete or has no step to
    compare, 4 if a tool failed.
    """
    from pyharness.hold.conformance.comparison import conform_model  # noqa: PLC0415 - only a run needs it

    spec, mutant = named_mutant(subject)
    library = Library(*module_directories(specs))
    _require(spec, mutant, spec_mutant, library)
    model = replace(
        protocol_model(spec, parse_topologies(wanted, where="--topology"), **setting_of(setting)),
        name=f"{spec_mutant}@{spec}" if spec_mutant else spec,
        mutant=spec_mutant,
        depth=depth or (2 if wander else None),
        wander=Wander(wander, seed) if wander else None,
        budget=Budget(seconds, heap),
    )
    tools = find_tools(specs)
    if first_order:
        _first_order(context, model, library, tools, mutant)
    with progress_line("starting") as progress:
        progress("TLC: starting")
        found = conform_model(model, library, tools, implementation=mutant, progress=progress)
    click.echo(summary(found, model))
    context.exit(0 if found.agreed else ConformanceError.exit_code)


def _first_order(
    context: click.Context, model: Model, library: Library, tools: Tools, mutant: str | None
) -> None:
    """Compare TLC with Python, and with the formulas of the proof; leave with the exit code."""
    from pyharness.prove.third_party import hold_together  # noqa: PLC0415 - only this needs the proofs

    with progress_line("starting") as progress:
        found = hold_together(model, library, tools, mutant=mutant, say=progress)
    click.echo(summary(found.python, model))
    click.echo(
        summary(found.formulas, model, "the proof")
        if found.formulas is not None
        else f"{model.spec} in the proof refuses a state of TLC's: {found.refused}"
    )
    for graph, why in found.unasked:
        click.echo(f"The invariant was not asked for on {graph}, where {why} does not hold.")
    context.exit(0 if found.agreed else ConformanceError.exit_code)


def _require(spec: str, mutant: str | None, spec_mutant: str | None, library: Library) -> None:
    """Refuse names that do not exist before TLC is started."""
    find_protocol(spec)
    if mutant is not None:
        find_mutant(spec, mutant)
    if spec_mutant is not None and (problem := no_mutant_of(library, spec, spec_mutant)):
        raise SpecError(problem.message, hint=problem.hint)


def summary(found: Conformance, model: Model, party: str = "Python") -> str:
    """Return the result in words, with the first mismatch, if there is one, and the trace to it."""
    implementation = f"{model.spec}:{found.implementation}" if found.implementation in MUTANTS else model.spec
    graphs = f"{len(model.topologies)} graph{'s'[: len(model.topologies) > 1]}"
    bound = f", behaviours of {model.depth} states at most" if model.depth else ""
    line = (
        f"{implementation} in {party}, {model.mutant or model.spec} in TLA+, on {graphs}{bound}: "
        f"{found.states:,} states, {found.transitions:,} transitions, {found.mismatches:,} mismatches "
        f"(TLC {found.tlc_seconds:.0f} s, comparison {found.seconds:.0f} s)"
    )
    return "\n".join([line, *(_mismatch(found.rows[0], party) if found.rows else ())])


def _mismatch(row: MismatchRow, party: str) -> list[str]:
    """Return the lines of a mismatch: the trace to the state, and where each side goes from there."""
    lines = ["", f"They differ first by {row.action} on {row.topology}.", ""]
    before = None
    if row.itf:
        trace, _ = from_itf(row.itf)
        before = trace.steps[-1].state
        lines += [to_text(trace, most=MOST_STEPS)]
    implementation = "implementation" if party == "Python" else party.removeprefix("the ")
    for side, own, other in (("spec", row.tlc, row.python), (implementation, row.python, row.tlc)):
        only = sorted(set(own) - set(other))
        lines += [f"Only the {side} then takes {row.action} to" if only else f"The {side} goes nowhere else."]
        lines += [_successor(before, row.action, text) for text in only]
    return lines


def _successor(before: Fn | None, action: str, text: str) -> str:
    state = parse_value(text)
    if before is None or not isinstance(state, Fn):
        return f"     {text}\n"
    both = to_text(Trace((TraceStep(None, before), TraceStep(action, state))))
    return both[both.index("\n2. ") :].split("\n", 2)[2]
