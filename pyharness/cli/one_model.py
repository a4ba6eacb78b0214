"""One model of a spec, checked without a plan and without Spark: what ``pyharness check SPEC`` does."""

from __future__ import annotations

import functools
import json
import os
import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.own_files import listed_files, own_directory, own_place, remove, write_list
from pyharness.base.toolchain.spec_files import is_file, module_directories, named_files
from pyharness.base.topology import NOTATION
from pyharness.cli.library.model_checks import NO_VIOLATION, Check
from pyharness.cli.library.model_checks import check as check_model
from pyharness.cli.progress import telling
from pyharness.gate.plans.requested_model import parse_constants, parse_overrides
from pyharness.show.report import to_text
from pyharness.show.report.trace.counterexample_table import MOST_STEPS
from pyharness.show.report.trace.diagram import with_places
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyharness.cli.library.notebook_trace import Trace
    from pyharness.tla.tlc import Progress


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


def show_page(page: Path | None, *, as_json: bool, opens: bool) -> None:
    """Say where a page is, if that is not in a document, and open it in a browser if wanted."""
    if page is None:
        return
    if not as_json:
        click.echo(f"page: {os.path.relpath(page)}")
    if opens:
        click.launch(str(page))


FORMAT: Final = "pyharness-check-model/1"

_EXIT: Final = {NO_VIOLATION: 0, "violation": 1, "spec error": 2, "incomplete": 3}
_WIDTH: Final = 80
_LONGEST: Final = 500
_OF_A_PLAN: Final = {
    "only": "--only", "fresh": "--fresh", "master": "--master", "as_list": "--list",
    "budget": "--budget",
}  # fmt: skip


def asked_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which model of a spec is meant, except overrides."""
    options = (
        click.option(
            "--topology",
            "topologies",
            multiple=True,
            metavar=NOTATION,
            help="Of SPEC: a graph; may be repeated.",
        ),
        click.option("--items", type=click.IntRange(1, 9), help="Of SPEC: items that move."),
        click.option("--mutant", metavar="NAME", help="Of SPEC: a seeded bug; or write SPEC:NAME."),
        click.option(
            "--property", "properties", multiple=True, metavar="NAME", help="Of SPEC: check this alone."
        ),
        click.option(
            "--constant", "constants", multiple=True, metavar="NAME=VALUE", help="Of SPEC, such as Records=2."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def named_mutant(subject: str, mutant: str | None = None) -> tuple[str, str | None]:
    """Part ``SPEC:MUTANT`` into its two names; ``mutant`` is what ``--mutant`` says.

    Raises SpecError if both name a mutant, and not the same.
    """
    spec, colon, named = subject.partition(":")
    if colon and not named:
        raise SpecError(f"{subject!r} names no mutant", hint="such as ChandyLamport:LateTurn")
    if named and mutant and named != mutant:
        raise SpecError(f"two mutants are given, {named} and {mutant}", hint="give one of the two")
    return spec, named or mutant


def one_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of one model to a command, which takes them as ``one``."""

    @asked_options
    @click.option(
        "--override",
        "overrides",
        multiple=True,
        metavar="OP=DEF",
        help="Of SPEC: a bug of your own; may be repeated.",
    )
    @click.option("--workers", type=click.IntRange(1), help="Of SPEC: TLC's threads; default 1.")
    @click.option("--seconds", type=click.IntRange(1), help="Of SPEC: at most, for TLC.")
    @click.option("--open", "opens", is_flag=True, help="Of SPEC, FOO.tla: show the counterexample's page.")
    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        names = [
            "topologies",
            "items",
            "mutant",
            "overrides",
            "properties",
            "constants",
            "workers",
            "seconds",
            "opens",
        ]
        one = {name: options.pop(name) for name in names}
        command(*arguments, one=one, **options)

    return wrapped


def is_spec(name: str, specs: Path, one: Mapping[str, Any]) -> bool:
    """Tell whether a name is that of a spec, with or without a mutant's, and not of a plan or its file.

    Raises SpecError, with the nearest of both, for a name of neither, and for an option of the other kind.
    """
    library, plans = Library(*module_directories(specs)), named_files("plans", specs)
    path = Path(name)
    if os.path.isdir(name):  # noqa: PTH112 - a name that no file can have is none of a directory
        modules = ", ".join(str(each) for each in sorted(path.glob("*.tla"))[:5])
        hint = f"name a module in it: {modules}" if modules else "there is no module, *.tla, in it"
        raise SpecError("a directory", where=name, hint=hint)
    if name in plans or is_file(path):
        given = [key for key, value in one.items() if value]
        if given:
            hint = "name a spec, such as ChandyLamport"
            raise SpecError(f"{name} is a plan; --{_option(given[0])} is of one model", hint=hint)
        return False
    if name.partition(":")[0] in library:
        return True
    known = [
        *plans,
        *(m for m in library.names() if library.path(m).parent.name not in ("mutants", "inductive")),
    ]
    if is_file(Path(f"{name}.tla")):
        raise SpecError(f"no plan or spec {name!r}", hint=f"did you mean {name}.tla?")
    raise SpecError.unknown("plan or spec", name, known, otherwise="or name a plan's file")


def _option(key: str) -> str:
    return {"topologies": "topology", "overrides": "override", "properties": "property", "constants": "constant",
            "opens": "open"}.get(key, key)  # fmt: skip


def require_none_of_a_plan(context: click.Context, subject: str) -> None:
    """Require that no option is given that is of a plan, and not of what ``subject`` says. Raises SpecError."""
    for key, option in _OF_A_PLAN.items():
        if context.get_parameter_source(key) is ParameterSource.COMMANDLINE:
            raise SpecError(f"{subject}; {option} is of a plan", hint="name a plan, such as quick")


def check_one(
    context: click.Context,
    subject: str,
    *,
    as_json: bool,
    one: Mapping[str, Any],
    specs: Path,
    out: Path | None,
) -> int:
    """Check a model of ``subject``, SPEC or SPEC:MUTANT, print the result, and return the exit code.

    The page of a counterexample is left below ``out``.

    Raises SpecError for what does not exist or does not fit, ToolError when Java or TLC is missing.
    """
    spec, mutant = named_mutant(subject, one["mutant"])
    require_none_of_a_plan(context, f"{spec} is a spec")
    directory = out or own_place(Path.cwd() / "build" / spec)
    require_ours(directory)
    with tlc_progress(spec) as follow:
        checked = check_model(
            spec,
            topology=one["topologies"] or None,
            items=one["items"],
            mutant=mutant,
            overrides=parse_overrides(one["overrides"]) or None,
            properties=one["properties"] or None,
            constants=parse_constants(one["constants"]) or None,
            seconds=one["seconds"],
            workers=one["workers"] or 1,
            specs=specs,
            progress=follow,
        )
    if not as_json:
        _print(checked)  # first, so that it is told even if the page cannot be written
    page = leave_page(checked.trace, directory)
    if as_json:
        click.echo(json.dumps(_document(checked, page), indent=2, ensure_ascii=False))
    show_page(page, as_json=as_json, opens=one["opens"])
    return _EXIT.get(checked.verdict, ToolError.exit_code)


def _print(checked: Check) -> None:
    if checked.verdict == "spec error":
        click.echo(f"pyharness: {cleaned(checked.reason)}", err=True)
        return
    graphs = ", ".join(topology.id for topology in checked.topologies[:4])
    more = len(checked.topologies) - 4
    name = f"{checked.spec}:{checked.mutant}" if checked.mutant else checked.spec
    changed = "".join(f", {operator} = {value}" for operator, value in checked.overrides.items())
    _say(
        f"{name}{changed} on {graphs}{f' and {more} more' if more > 0 else ''}: {', '.join(checked.properties)}"
    )
    if checked.trace is not None:
        click.echo()
        setting = {key: value for key, value in checked.trace.meta.items() if key != "violated"}
        named = with_places(checked.trace.behaviour, setting)
        for line in to_text(named, None, setting, MOST_STEPS).splitlines():
            click.echo(_wrapped(line))
        click.echo()
    by = f" of {checked.violated}" if checked.violated else ""
    after = f" after {len(checked.trace)} steps" if checked.trace else ""
    states = "" if checked.states is None else f", {checked.states:,} distinct states"
    seconds = "" if checked.seconds is None else f", {checked.seconds:.1f} s"
    click.secho(f"{checked.verdict.upper()}{by}{after}{states}{seconds}", fg=_colour(checked), bold=True)
    if checked.why:
        _say(checked.why)
    elif checked.verdict != NO_VIOLATION and checked.violated is None:
        click.echo(checked.reason)
    if checked.verdict == "violation" and checked.trace is None:
        click.echo("  no states lead to it: state it as an invariant, and see them")


def _say(text: str) -> None:
    click.echo(textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False))


def _wrapped(line: str) -> str:
    """Break a line of a trace that is too long, so that what goes on stands deeper than where it begins, or cut it."""
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]} ... {len(line) - _LONGEST:,} characters more"
    deeper = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.fill(
        line,
        _WIDTH,
        subsequent_indent=deeper,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


def _colour(checked: Check) -> str:
    return {NO_VIOLATION: "green", "incomplete": "yellow"}.get(checked.verdict, "red")


def _document(checked: Check, page: Path | None) -> dict[str, Any]:
    return {
        "format": FORMAT,
        **checked.row(),
        "overrides": dict(checked.overrides),
        "properties": list(checked.properties),
        "why": checked.why,
        "page": str(page) if page else None,
        "trace": json.loads(checked.trace.to_itf()) if checked.trace else None,
    }


@contextmanager
def tlc_progress(spec: str) -> Iterator[Callable[[Progress], None]]:
    """Show how far TLC is."""
    with telling(f"TLC reads {spec}") as tell:
        yield lambda now: tell(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue")
