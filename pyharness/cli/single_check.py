"""``pyharness check SPEC`` and ``pyharness check FOO.tla``: one model checked without a plan and without Spark."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import HarnessError, SpecError
from pyharness.base.toolchain.clean_text import cleaned, clip
from pyharness.base.toolchain.own_files import listed_files, own_directory, own_place, remove, write_list
from pyharness.cli.library.model_checks import Check, check, is_module_file
from pyharness.cli.one_model import named_mutant, tlc_progress
from pyharness.gate.judge.result_cases import Case, Status
from pyharness.gate.plans.requested_model import parse_overrides
from pyharness.models.machine_tools import find_tools
from pyharness.models.verdicts import Verdict
from pyharness.show.report.ci.annotations import annotation_lines, warning_line
from pyharness.show.report.trace.counterexample_table import MOST_STEPS, cells_of, table_lines
from pyharness.show.report.trace.diagram import with_places
from pyharness.tla.modules.places import first_place
from pyharness.tla.plain_models.plain_model import OWN, ROOT
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.cli.library.notebook_trace import Trace
    from pyharness.models.spec_check import CheckedSpec
    from pyharness.tla.plain_models.plain_model import PlainModel

_FILES: Final = {ending: f"counterexample{ending}" for ending in (".html", ".itf.json", ".txt")}


def require_ours(directory: Path) -> None:
    """Require that no file of somebody else's has the name of one that is written, or removed, after the run."""
    foreign = [n for n in _FILES.values() if (directory / n).exists() and n not in listed_files(directory)]
    if foreign:
        raise SpecError(
            f"it would be replaced, and an earlier run did not write it: {foreign[0]}",
            where=str(directory),
            hint="move it away, or name another directory by --out",
        )


def leave_page(trace: Trace | None, directory: Path) -> Path | None:
    """Write the counterexample as a page, as ITF and as text; remove an older one's, which is of another run."""
    files = {ending: directory / name for ending, name in _FILES.items()}
    for path in files.values():
        remove(path)
    if trace is None:
        return None
    own_directory(directory)
    for path in files.values():
        trace.save(path)
    write_list(directory, _FILES.values())
    return files[".html"]


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
        text = f"never reached, so that the property is vacuous there: {premise.formula}"
        yield warning_line(first_place(model.place_of(premise.of), model.path, *places), premise.of, text)


def lines_of_error(path: Path, error: HarnessError) -> Iterator[str]:
    """Yield an error at the place that ``error`` names, of a module that cannot be checked."""
    words = (error.message, *([error.hint] if error.hint else []))
    place = first_place(f"{error.where or ''} {error.message}", path)
    return annotation_lines([Case(f"check {path.name}", "no verdict", Status.ERROR, words, place)])


FORMAT: Final = "pyharness-check-one/1"

_WIDTH: Final = 100


def check_one(
    subject: str,
    *,
    config: Path | None,
    libraries: Sequence[Path],
    one: Mapping[str, Any],
    as_json: bool,
    strict: bool,
    annotate: bool,
    specs: Path,
    out: Path | None,
) -> int:
    """Check a model of ``subject``, which is SPEC, SPEC:MUTANT or FOO.tla, print the result, and return the exit code.

    If it is ``strict``, what was never taken or reached makes it incomplete. With ``annotate`` lines for GitHub follow.
    A counterexample is left below ``out``, as a page and as a trace. Without it that is below ``build``; of a module
    only if it is to be opened.

    Raises SpecError for what does not exist, does not fit or cannot be read, ToolError when Java or TLC cannot be run.
    """
    is_file = is_module_file(subject)
    spec, mutant = (subject, None) if is_file else named_mutant(subject)
    place = Path.cwd() / "build" / Path(spec).stem
    directory = out or (None if is_file and not one["opens"] else own_place(place))
    if directory is not None:
        require_ours(directory)
    try:
        with tlc_progress(Path(spec).stem) as follow:
            found = check(
                spec,
                topology=one["topologies"] or None,
                items=one["items"],
                mutant=mutant,
                overrides=parse_overrides(one["overrides"]) or None,
                properties=one["properties"] or None,
                constants=one["constants"] or None,
                config=config,
                libraries=libraries,
                seconds=one["seconds"],
                strict=strict,
                workers=one["workers"] or 1,
                specs=specs,
                progress=follow,
            )
    except HarnessError as error:
        for line in lines_of_error(Path(spec), error) if annotate else ():
            click.echo(line, err=as_json)
        raise
    if not as_json:
        _print(found)  # first, so that it is printed even if the page cannot be written
    page = leave_page(found.trace, directory) if directory else None
    if directory is None and found.trace and len(found.trace) > MOST_STEPS:
        click.echo("all steps: --out DIR", err=True)
    if directory and page is None and found.evidence.verdict is Verdict.VIOLATION:
        click.echo("no page: TLC printed no behaviour that leads to it; an invariant has one", err=True)
    if as_json:
        document = _document(found) | {"page": str(page) if page else None}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    elif page:
        click.echo(f"page: {os.path.relpath(page)}")
    if page and one["opens"]:
        click.launch(str(page))
    for line in lines_of_check(found.model, found.evidence) if annotate else ():
        click.echo(line, err=as_json)
    return found.evidence.verdict.exit_code


def _document(one: Check) -> dict[str, Any]:
    model, checked, result = one.model, one.evidence, one.evidence.result
    document: dict[str, Any] = {
        "format": FORMAT,
        "spec": one.spec,
        "configuration": model.config.where,
        "mutant": one.mutant,
        "overrides": dict(one.overrides),
        "topologies": [topology.id for topology in one.topologies],
        "invariants": list(model.config.invariants),
        "properties": list(model.config.properties),
        "deadlock": model.config.check_deadlock,
        "verdict": one.verdict,
        "reason": checked.reason,
        "violated": checked.violated,
        "why": one.why,
        "states": {"distinct": result.distinct, "generated": result.generated, "depth": result.depth},
        "seconds": result.seconds,
        "tlc": {
            "version": result.tlc_version,
            "outcome": result.outcome.value,
            "exit_status": result.exit_status,
            "sha256": find_tools().jar_sha256,  # a build without a version prints the time
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
    if one.trace is not None:
        trace = one.trace.behaviour
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
            "itf": json.loads(one.trace.to_itf()),
        }
    return document


def _print(one: Check) -> None:
    model, checked, result = one.model, one.evidence, one.evidence.result
    if checked.verdict is Verdict.SPEC_ERROR:
        click.echo(f"pyharness: {cleaned(checked.reason)}", err=True)
        return
    deadlock = ["deadlock"] if model.config.check_deadlock and model.config.behaviours else []
    print_wrapped("", f"{one.heading}: {', '.join([*model.checked, *deadlock]) or 'assumptions alone'}")
    if one.trace is not None:
        behaviour = one.trace.behaviour
        named = with_places(behaviour, one.trace.meta) if one.topologies else behaviour
        click.echo()
        for line in table_lines(named, _WIDTH, MOST_STEPS):
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
    click.secho(f"{one.verdict.upper()}{by}{states}{depth}{seconds}", fg=colour, bold=True)
    text, *excerpt = (one.why or checked.reason).split("\n")
    if text:
        print_wrapped("", text)
    for line in excerpt:
        click.echo(cleaned(line))
    _print_evidence(checked)
    printed = _printed(checked)
    for line in printed[:_MOST_PRINTED]:
        click.echo(clip(cleaned(f"  printed: {line}"), _LONGEST_LINE))
    if len(printed) > _MOST_PRINTED:
        click.echo(f"  and {len(printed) - _MOST_PRINTED:,} lines more; --json has them")
    for note in checked.notes:
        print_wrapped("  note: ", note)


_MOST_PRINTED: Final = 20
_LONGEST_LINE: Final = 500


def _printed(checked: CheckedSpec) -> list[str]:
    """Return the lines that the user's modules printed in the last run, after those of the parser."""
    _, parsed, lines = checked.result.output.rpartition(f"Semantic processing of module {ROOT}\n")
    return [
        line
        for line in lines.splitlines()
        if parsed and OWN not in line and not line.startswith("Linting of module ")
    ]


def _print_evidence(checked: CheckedSpec) -> None:
    taken = [each for each in checked.actions if each.taken]
    if taken:
        part = ", in a part of the states" if checked.partial else ""
        print_wrapped("  actions taken: ", ", ".join(f"{each.name} {each.taken:,}" for each in taken) + part)
    for action in checked.never_taken:
        click.secho(f"  never taken: {action.name} ({action.place})", fg="yellow")
    if checked.evaluated:
        print_wrapped("  invariants evaluated: ", ", ".join(checked.evaluated))
    if checked.opinion:
        print_wrapped("  evaluated again by this tool: ", checked.opinion.text)
    reached = sum(found is True for _, found in checked.premises)
    if reached:
        print_wrapped("  premises reached: ", f"{reached} of {len(checked.premises)}")
    for premise in checked.unreached:
        click.secho("  never reached, so that the property is vacuous there:", fg="yellow")
        print_wrapped(f"    {premise.of}: ", premise.formula)


def print_wrapped(head: str, text: str) -> None:
    """Print a text, cleaned, after its head, in lines of which the further ones are indented."""
    lines = textwrap.wrap(
        cleaned(text),
        _WIDTH,
        initial_indent=head,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    click.echo("\n".join(lines))
