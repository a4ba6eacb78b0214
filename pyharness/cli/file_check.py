"""``pyharness check FOO.tla``: a module with a configuration of its own, checked without graphs and without a plan."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import HarnessError, SpecError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.machine_size import memory
from pyharness.base.toolchain.own_files import own_place
from pyharness.base.toolchain.spec_files import SPECS, is_file
from pyharness.cli.library.model_checks import NO_VIOLATION
from pyharness.cli.library.notebook_trace import Trace
from pyharness.cli.one_model import leave_page, require_ours, show_page, tlc_progress
from pyharness.gate.judge.result_cases import Case, Status
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain, counterexample_facts
from pyharness.models.verdicts import Verdict
from pyharness.show.report.ci.annotations import annotation_lines, warning_line
from pyharness.show.report.trace.counterexample_table import MOST_STEPS, cells_of, table_lines
from pyharness.tla.modules.places import first_place
from pyharness.tla.plain_models.plain_model import OWN, ROOT, read_model
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.models.spec_check import CheckedSpec
    from pyharness.tla.plain_models.plain_model import PlainModel


def lines_of_check(model: PlainModel, checked: CheckedSpec) -> Iterator[str]:
    """Yield an error where the violated property is defined, or where TLC points to, and a warning for each gap."""
    places = model.library.directories
    if checked.verdict is not Verdict.PASS:
        violation = checked.verdict is Verdict.VIOLATION
        name = checked.violated or checked.result.outcome.value
        yield from annotation_lines(
            [
                Case(
                    f"check {model.path.name}",
                    name,
                    Status.FAILURE if violation else Status.ERROR,
                    (checked.reason or f"{name}: {checked.verdict.text}",),
                    first_place(f"{model.place_of(name)} {checked.reason}", model.path, *places),
                )
            ]
        )
    for action in checked.never_taken:
        yield warning_line(
            first_place(action.place, model.path, *places), action.name, "this action is never taken"
        )
    for premise in checked.unreached:
        text = f"never reached, so that the property says nothing of it: {premise.formula}"
        yield warning_line(first_place(model.place_of(premise.of), model.path, *places), premise.of, text)


def lines_of_error(path: Path, error: HarnessError) -> Iterator[str]:
    """Yield an error at the place that ``error`` names, of a module that cannot be checked."""
    words = (error.message, *([error.hint] if error.hint else []))
    place = first_place(f"{error.where or ''} {error.message}", path)
    return annotation_lines([Case(f"check {path.name}", "no verdict", Status.ERROR, words, place)])


FORMAT: Final = "pyharness-check-file/1"

_SECONDS: Final = 3600
"""What TLC may take of a module, unless --seconds says otherwise."""

_WIDTH: Final = 100
_OF_GRAPHS: Final = {"topologies": "topology", "items": "items", "mutant": "mutant", "overrides": "override"}


def is_module_file(name: str) -> bool:
    """Tell whether what is to be checked is the file of a module."""
    return name.endswith(".tla")


def default_heap() -> int:
    """Return the MiB of Java's heap: half of what this machine has, 1 GiB at least and 8 at most."""
    room = memory()
    return 2048 if room is None else max(1024, min(8192, room // 2**21))


def file_options(command: Any) -> Any:
    """Add the options that say where a module's file finds its configuration, and modules."""
    options = (
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            help="Of FOO.tla: its configuration; default FOO.cfg beside it.",
        ),
        click.option(
            "--library",
            "libraries",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Of FOO.tla: a directory of modules that it extends; may be repeated.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def require_no_shipped(path: Path, command: str) -> None:
    """Require that a file is none of the shipped specs, which are about graphs. Raises SpecError."""
    shipped = SPECS / path.name
    if is_file(shipped) and (not is_file(path) or path.samefile(shipped)):
        raise SpecError(
            f"{path} is a spec of graphs", hint=f"name the module: pyharness {command} {path.stem}"
        )


def asked_model(
    path: Path, command: str, *, config: Path | None, libraries: Sequence[Path], asked: Mapping[str, Any]
) -> PlainModel:
    """Read the model in a file that a ``command`` is asked for, by the options of one model.

    Raises SpecError for options of a spec about graphs, and for what does not exist or cannot be read.
    """
    require_no_shipped(path, command)
    for key, option in _OF_GRAPHS.items():
        if asked.get(key):
            hint = f"{path.name} has no graphs: leave out --{option}"
            raise SpecError(f"--{option} is of a spec about graphs, by its name", where=str(path), hint=hint)
    model = read_model(path, config, constants=asked["constants"], libraries=libraries)
    return model.only(asked["properties"]) if asked["properties"] else model


def check_file(
    path: Path,
    *,
    config: Path | None,
    libraries: Sequence[Path],
    one: Mapping[str, Any],
    as_json: bool,
    strict: bool,
    annotate: bool = False,
    out: Path | None = None,
) -> int:
    """Check the module in a file, print what was found, and return the exit code.

    If it is ``strict``, what was never taken or reached makes it incomplete. With ``annotate`` lines for GitHub follow.
    A counterexample is left below ``out``, as a page and as a trace; without it nowhere, unless it is to be opened.

    Raises SpecError for what does not exist, cannot be read or is not done, ToolError when Java or TLC is missing.
    """
    directory = out or (own_place(Path.cwd() / "build" / path.stem) if one["opens"] else None)
    if directory is not None:
        require_ours(directory)
    try:
        model = asked_model(path, "check", config=config, libraries=libraries, asked=one)
    except HarnessError as error:
        for line in lines_of_error(path, error) if annotate else ():
            click.echo(line, err=as_json)
        raise
    bounds = Bounds(one["seconds"] or _SECONDS, default_heap(), one["workers"] or 1)
    with tlc_progress(model.module) as follow:
        checked = check_plain(model, tools := find_tools(), bounds, follow, again=True)
    if strict:
        checked = checked.strictly()
    if not as_json:
        _print(model, checked)  # first, so that it is told even if the page cannot be written
    page = leave_page(counterexample(model, checked), directory) if directory else None
    if directory is None and len(checked.result.trace.steps if checked.result.trace else ()) > MOST_STEPS:
        click.echo("all steps: --out DIR", err=True)
    if directory and page is None and checked.verdict is Verdict.VIOLATION:
        click.echo("no page: TLC printed no behaviour that leads to it", err=True)
    if as_json:
        document = _document(model, checked) | {"page": str(page) if page else None}
        document["tlc"]["sha256"] = tools.jar_sha256  # a build without a version prints the time
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    show_page(page, as_json=as_json, opens=one["opens"])
    for line in lines_of_check(model, checked) if annotate else ():
        click.echo(line, err=as_json)
    return checked.verdict.exit_code


def counterexample(model: PlainModel, checked: CheckedSpec) -> Trace | None:
    """Return the behaviour that violates something, with what its document says of it; ``None`` if there is none."""
    if checked.verdict is not Verdict.VIOLATION or checked.result.trace is None:
        return None
    return Trace(checked.result.trace, counterexample_facts(model, checked))


def _verdict(checked: CheckedSpec) -> str:
    return NO_VIOLATION if checked.verdict is Verdict.PASS else checked.verdict.text


def _document(model: PlainModel, checked: CheckedSpec) -> dict[str, Any]:
    result = checked.result
    document: dict[str, Any] = {
        "format": FORMAT,
        "module": model.module,
        "configuration": model.config.where,
        "invariants": list(model.config.invariants),
        "properties": list(model.config.properties),
        "deadlock": model.config.check_deadlock,
        "verdict": _verdict(checked),
        "reason": checked.reason,
        "violated": checked.violated,
        "states": {"distinct": result.distinct, "generated": result.generated, "depth": result.depth},
        "seconds": result.seconds,
        "tlc": {
            "version": result.tlc_version,
            "outcome": result.outcome.value,
            "exit_status": result.exit_status,
        },
        "evidence": {
            "actions": [{"name": a.name, "place": a.place, "taken": a.taken} for a in checked.actions],
            "counted_in_a_part_of_the_states": checked.partial,
            "evaluated": list(checked.evaluated),
            "evaluated_again": None
            if (opinion := checked.opinion) is None
            else {
                "states": opinion.states,
                "steps": opinion.steps,
                "true": list(opinion.agreed),
                "not_covered": opinion.beyond,
            },
            "premises": [
                {"of": p.of, "number": p.number, "formula": p.formula, "reached": found}
                for p, found in checked.premises
            ],
        },
        "printed": _printed(checked),
        "notes": list(checked.notes),
        "counterexample": None,
    }
    if checked.verdict is Verdict.VIOLATION and result.trace is not None:
        trace = result.trace
        document["counterexample"] = {
            "steps": [
                {"action": step.action, "arguments": step.arguments, "location": step.location}
                for step in trace.steps
            ],
            "rows": {
                name: [{"text": cell.text, "changed": cell.changed} for cell in cells]
                for name, cells in cells_of(trace).items()
            },
            "back_to": None if trace.lasso is None else trace.lasso + 1,
            "stuttering": trace.stuttering,
        }
    return document


def _print(model: PlainModel, checked: CheckedSpec) -> None:
    if checked.verdict is Verdict.SPEC_ERROR:
        click.echo(f"pyharness: {cleaned(checked.reason)}", err=True)
        return
    under = f" under {model.config.where}" if model.config.where else ""
    deadlock = ["deadlock"] if model.config.check_deadlock and model.config.behaviours else []
    say_wrapped(
        "", f"{model.path.name}{under}: {', '.join([*model.checked, *deadlock]) or 'assumptions alone'}"
    )
    result = checked.result
    if checked.verdict is Verdict.VIOLATION and result.trace is not None:
        click.echo()
        for line in table_lines(result.trace, _WIDTH, MOST_STEPS):
            click.echo(cleaned(line))
        click.echo()
    by = f" of {checked.violated}" if checked.violated else ""
    if result.outcome is Outcome.DEADLOCK:
        by = ": deadlock"
    states = (
        ""
        if result.distinct is None
        else f", {result.distinct:,} distinct states of {result.generated or 0:,} generated"
    )
    depth = "" if result.depth is None else f", depth {result.depth}"
    seconds = "" if result.seconds is None else f", {result.seconds:.1f} s"
    colour = {Verdict.PASS: "green", Verdict.INCOMPLETE: "yellow"}.get(checked.verdict, "red")
    click.secho(f"{_verdict(checked).upper()}{by}{states}{depth}{seconds}", fg=colour, bold=True)
    if checked.reason:
        click.echo(cleaned(checked.reason))
    _print_evidence(checked)
    printed = _printed(checked)
    for line in printed[:_MOST_PRINTED]:
        click.echo(cleaned(f"  printed: {line}"))
    if len(printed) > _MOST_PRINTED:
        click.echo(f"  and {len(printed) - _MOST_PRINTED:,} lines more; --json has them")
    for note in checked.notes:
        say_wrapped("  note: ", note)


_MOST_PRINTED: Final = 20


def _printed(checked: CheckedSpec) -> list[str]:
    """Return the lines that the user's modules printed in the last run, behind those of the parser."""
    _, parsed, said = checked.result.output.rpartition(f"Semantic processing of module {ROOT}\n")
    return [line for line in said.splitlines() if parsed and OWN not in line]


def _print_evidence(checked: CheckedSpec) -> None:
    taken = [each for each in checked.actions if each.taken]
    if taken:
        part = ", in a part of the states" if checked.partial else ""
        say_wrapped("  actions taken: ", ", ".join(f"{each.name} {each.taken:,}" for each in taken) + part)
    for action in checked.never_taken:
        click.secho(f"  never taken: {action.name} ({action.place})", fg="yellow")
    if checked.evaluated:
        say_wrapped("  invariants evaluated: ", ", ".join(checked.evaluated))
    if checked.opinion:
        say_wrapped("  evaluated again by this tool: ", checked.opinion.text)
    reached = sum(found is True for _, found in checked.premises)
    if reached:
        say_wrapped("  premises reached: ", f"{reached} of {len(checked.premises)}")
    for premise in checked.unreached:
        click.secho("  never reached, so that the property says nothing of it:", fg="yellow")
        say_wrapped(f"    {premise.of}: ", premise.formula)


def say_wrapped(head: str, text: str) -> None:
    """Print a text behind its head, in lines of which the further ones are indented; what others wrote is cleaned."""
    lines = textwrap.wrap(
        cleaned(text),
        _WIDTH,
        initial_indent=head,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    click.echo("\n".join(lines))
