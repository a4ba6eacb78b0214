"""``pyharness mutate``: change a spec, by machine, in one place at a time, and see whether some property notices."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_utf8
from pyharness.base.toolchain.clean_text import said
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.topology import NOTATION, parse_topologies
from pyharness.cli.file_check import default_heap, file_options, is_module_file, say_wrapped
from pyharness.cli.progress import telling
from pyharness.cli.shared_options import FILE, specs_option
from pyharness.gate.plans.requested_model import parse_constants
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.specs.accepted_list import read_accepted
from pyharness.mutants.specs.mutant_runs import mutate_in_turn
from pyharness.mutants.specs.mutant_verdict import Class
from pyharness.mutants.specs.mutants_page import with_section
from pyharness.mutants.specs.own_spec import digest_of, plain_model_of
from pyharness.show.report.trace.counterexample_table import table_lines
from pyharness.tla.plain_models.plain_model import read_model
from pyharness.tla.tlc import Step, Trace
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.mutants.specs.mutant_runs import MutatedSpec
    from pyharness.mutants.specs.mutant_verdict import MutantVerdict
    from pyharness.tla.plain_models.plain_model import PlainModel

FORMAT: Final = "pyharness-mutate/1"

_WIDTH: Final = 100
_SHOWN: Final = 10
"""So many unnoticed mutants are shown with a behaviour; of the others, a line each."""


@click.command()
@click.argument("spec")
@file_options
@click.option(
    "--constant", "constants", multiple=True, metavar="NAME=VALUE", help="Such as N=3; may be repeated."
)
@click.option(
    "--model",
    "named",
    multiple=True,
    metavar="NAME",
    help="Of SPEC: its model in the plan quick; default its first; repeated, what is not noticed goes on to the next.",
)
@click.option(
    "--topology", "topologies", multiple=True, metavar=NOTATION, help="Of SPEC: a graph; may be repeated."
)
@click.option("--items", type=click.IntRange(1, 9), help="Of SPEC: items that move.")
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Of FOO.tla: ask for this alone."
)
@click.option(
    "--accepted",
    type=click.Path(path_type=Path),
    help="A list of mutants that nothing notices, each with the reason why that is right.",
)
@click.option(
    "--page",
    type=FILE,
    help="Write the result as a section of this Markdown page, too, if every mutant is decided.",
)
@click.option(
    "--seconds", type=click.IntRange(1), default=120, show_default=True, help="At most, for all of it."
)
@specs_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def mutate(
    context: click.Context,
    spec: str,
    *,
    config: Path | None,
    constants: tuple[str, ...],
    libraries: tuple[Path, ...],
    named: tuple[str, ...],
    topologies: tuple[str, ...],
    items: int | None,
    properties: tuple[str, ...],
    accepted: Path | None,
    page: Path | None,
    seconds: int,
    specs: Path,
    as_json: bool,
) -> None:
    """Change SPEC in one place at a time, and see whether some property notices.

    \b
      pyharness mutate Mutex.tla --config MC.cfg
      pyharness mutate ChandyLamport --topology ring:2 --items 1

    SPEC is the file of a module with a configuration, or the name of a shipped spec, of whose models in the plan quick
    one is changed, or several in turn: what nothing notices in one goes on to the next. Changed are the initial
    predicate, the actions and the operators that they use, and no definition that a property reads. TLC runs many
    mutants at once; those of which nothing is noticed are asked for the properties of whole behaviours, too. What was
    found is so in this configuration, and says nothing of another.

    Exits with 0 if every mutant is noticed, by a property or because an action is never taken any more, is the same, or
    is on the list; with 1 if another one is not noticed; 2 for bad input; 3 if the spec itself is no pass, or a mutant
    could not be decided; 4 if a tool failed.
    """  # noqa: D301 - click reads the \b
    bounds = Bounds(seconds, default_heap())
    own = _OwnModel(named, topologies, items)
    text = read_utf8(page, MOST_KEPT_BYTES) if page is not None and page.is_file() else ""
    with _models(spec, config, constants, libraries, own, specs) as models, telling("mutants") as follow:
        model = models[0]
        listed = read_accepted(accepted, "mutant", model.name) if accepted else {}
        asked = [each.only(properties) if properties else each for each in models]
        mutated = mutate_in_turn(asked, find_tools(), bounds, follow)
        digest = digest_of(asked)
    unnoticed = [each for each in mutated.unnoticed if each.mutant.key not in listed]
    if as_json:
        click.echo(json.dumps(_document(model, mutated, listed), indent=2, ensure_ascii=False))
    else:
        _print(model, mutated, unnoticed, listed)
    undecided = sorted({each.why for each in mutated.verdicts if each.verdict is Class.UNDECIDED})
    if page is not None and undecided:
        whys = "; ".join(undecided)
        click.echo(f"{page} stays as it is, for not every mutant was decided: {whys}", err=True)
    elif page is not None:
        write_named(
            page,
            with_section(
                text,
                model.name,
                _command(spec, own, constants, config, libraries, properties),
                digest,
                mutated,
                listed,
            ),
        )
    context.exit(1 if unnoticed else 3 if undecided or not mutated.verdicts else 0)


class _OwnModel(NamedTuple):
    """What is said of the model of a shipped spec."""

    named: tuple[str, ...]
    topologies: tuple[str, ...]
    items: int | None


def _command(
    spec: str,
    own: _OwnModel,
    constants: tuple[str, ...] = (),
    config: Path | None = None,
    libraries: tuple[Path, ...] = (),
    properties: tuple[str, ...] = (),
) -> str:
    """Return the command that a page names, as a shell takes it: all that says what is asked."""
    given = ["--config", str(config)] if config else []
    given += [part for each in libraries for part in ("--library", str(each))]
    given += [part for each in own.named for part in ("--model", each)]
    given += [part for each in own.topologies for part in ("--topology", each)]
    given += ["--items", str(own.items)] if own.items else []
    given += [part for each in constants for part in ("--constant", each)]
    given += [part for each in properties for part in ("--property", each)]
    return shlex.join(["pyharness", "mutate", spec, *given])


@contextmanager
def _models(
    spec: str,
    config: Path | None,
    constants: tuple[str, ...],
    libraries: tuple[Path, ...],
    own: _OwnModel,
    specs: Path,
) -> Iterator[list[PlainModel]]:
    if is_module_file(spec):
        if any(own):
            raise SpecError("--model, --topology and --items are of a shipped spec, by its name", where=spec)
        yield [read_model(Path(spec), config, constants=constants, libraries=libraries)]
        return
    if config or libraries:
        raise SpecError("--config and --library are of the file of a module: FOO.tla", where=spec)
    graphs = tuple(graph for each in own.topologies for graph in parse_topologies(each))
    given = parse_constants(constants) or None
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                plain_model_of(spec, specs, named=named, topologies=graphs, items=own.items, constants=given)
            )
            for named in own.named or (None,)
        ]


# -- JSON --------------------------------------------------------------------------------------------------------------


def _document(
    model: PlainModel, mutated: MutatedSpec, listed: Mapping[tuple[str, ...], str]
) -> dict[str, Any]:
    mutants = [_entry(each, listed) for each in mutated.verdicts]
    return {
        "format": FORMAT,
        "module": model.name,
        "configuration": model.config.where,
        "states": mutated.states,
        "steps": mutated.steps,
        "runs": mutated.runs,
        "seconds": round(mutated.seconds, 1),
        "counts": dict(Counter(each.verdict.value for each in mutated.verdicts)),
        "mutants": mutants,
        "unnoticed": [entry for entry in mutants if entry["unnoticed"]],
    }


def _entry(verdict: MutantVerdict, listed: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    mutant, numbers = verdict.mutant, verdict.numbers
    return {
        "number": mutant.number,
        "place": {"module": mutant.module, "line": mutant.line, "definition": mutant.definition},
        "change": {"kind": mutant.kind, "old": mutant.old_text, "new": mutant.new_text or None}
        | ({"occurrence": mutant.occurrence} if mutant.occurrence else {}),
        "verdict": verdict.verdict.value,
        "unnoticed": verdict.is_unnoticed and mutant.key not in listed,
        "accepted": listed.get(mutant.key) if verdict.is_unnoticed else None,
        "by": verdict.by or None,
        "never_taken": list(verdict.idle),
        "graph": None
        if numbers is None
        else {name: getattr(numbers, name) for name in type(numbers).__dataclass_fields__},
        "behaviour": [
            {
                "action": step.action or None,
                "state": {str(name): _text(value) for name, value in step.state.items()},
            }
            for step in verdict.behaviour
        ],
        "why": verdict.why or None,
    }


def _text(value: Any) -> str:
    try:
        return to_tla(value)
    except SpecError:
        return str(value)


# -- text --------------------------------------------------------------------------------------------------------------


def _print(
    model: PlainModel,
    mutated: MutatedSpec,
    unnoticed: list[MutantVerdict],
    listed: Mapping[tuple[str, ...], str],
) -> None:
    several = f" in {mutated.models} models" if mutated.models > 1 else ""
    under = f" under {model.config.where}" if model.config.where and not several else ""
    counts = Counter(each.verdict for each in mutated.verdicts)
    click.secho(
        f"{model.name}{under}, {mutated.states:,} states{several}: {len(mutated.verdicts)} mutants, "
        f"{mutated.runs} runs of TLC, {mutated.seconds:.0f} s",
        bold=True,
    )
    by = Counter(each.by for each in mutated.verdicts if each.verdict is Class.NOTICED)
    idle = sum(bool(each.idle) for each in mutated.verdicts if each.verdict is Class.FEWER)
    more = {
        Class.NOTICED: f": {', '.join(f'{name} {count}' for name, count in by.most_common())}",
        Class.FEWER: f"; of {idle} an action is never taken then, which the coverage of a check tells",
        Class.UNREACHED: ": TLC never evaluates what they change",
        Class.SAME: f": the same states and steps in {'each of the models' if several else 'this configuration'}",
    }
    for verdict in Class:
        if counts[verdict]:
            say_wrapped(f"{counts[verdict]:>5} ", f"{verdict.value}{more.get(verdict, '')}")
    if not mutated.verdicts:
        click.echo(
            "    0 to be changed: what an instance defines stays as it is, and so does what a property reads"
        )
    accepted = len(mutated.unnoticed) - len(unnoticed)
    if accepted:
        click.echo(f"{accepted:>5} of those that nothing notices are accepted, with a reason")
    for number, each in enumerate(unnoticed):
        _print_unnoticed(each, whole=number < _SHOWN)
    for each in mutated.verdicts:
        if each.verdict is Class.UNDECIDED:
            click.echo()
            say_wrapped("", f"{_head(each)}: not decided: {each.why}")
    undecided = counts[Class.UNDECIDED]
    open_ones = f", {undecided} NOT DECIDED" if undecided else ""
    colour = "red" if unnoticed else "yellow" if undecided or not mutated.verdicts else "green"
    click.echo()
    click.secho(f"{len(unnoticed)} UNNOTICED{open_ones}, in this configuration", fg=colour, bold=True)


def _head(verdict: MutantVerdict) -> str:
    return f"{verdict.mutant.place} {verdict.mutant.definition}, {verdict.mutant.kind}"


def _print_unnoticed(verdict: MutantVerdict, *, whole: bool) -> None:
    mutant, numbers = verdict.mutant, verdict.numbers
    click.echo()
    click.secho(said(f"{_head(verdict)}: nothing notices it"), fg="yellow")
    say_wrapped("  - ", mutant.old_text)
    if mutant.new_text:
        say_wrapped("  + ", mutant.new_text)
    if numbers is not None:
        say_wrapped(
            "  ",
            f"{numbers.new_states:,} states and {numbers.new_steps:,} steps are new, "
            f"{numbers.lost_states:,} states and {numbers.lost_steps:,} steps are gone"
            + (
                f"; {numbers.new_initial:,} initial states are none of the spec's"
                if numbers.new_initial
                else ""
            ),
        )
    if verdict.idle:
        say_wrapped("  ", f"never taken then: {', '.join(verdict.idle)}")
    if verdict.behaviour and whole:
        click.echo("  the shortest behaviour that only the mutant has:")
        trace = Trace(tuple(Step(step.action or None, step.state) for step in verdict.behaviour))
        for line in table_lines(trace, _WIDTH - 4):
            click.echo(f"    {said(line)}".rstrip())
