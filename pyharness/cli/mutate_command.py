"""``pyharness mutate``: change a spec, its properties or the code in one place at a time, and see what notices."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import pyharness.machines.protocols
from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.machine_size import cores, default_heap, tasks_at_once
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.base.topology import parse_topologies
from pyharness.cli.library.model_checks import is_module_file
from pyharness.cli.one_model import CONSTANTS, ITEMS, PROPERTIES, TOPOLOGIES, file_options
from pyharness.cli.progress import ProgressLines
from pyharness.cli.shared_options import DIRECTORY, options, require_none_given, specs_option
from pyharness.cli.single_check import print_wrapped
from pyharness.gate.judge.cover import cover
from pyharness.gate.judge.pinned_lists import (
    Figures,
    changed_texts,
    listing_text,
    never_weakened,
    read_weakenings,
)
from pyharness.gate.plans.plan import STRENGTH, read_plan
from pyharness.gate.plans.requested_model import parse_constants
from pyharness.machines.systems import PROTOCOLS
from pyharness.models.checked_texts import CheckedTexts
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.trial import SURVIVORS, Survivors, Verdict, counts_of, read_survivors
from pyharness.tla.plain_models.plain_model import read_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.mutants.trial import Trial
    from pyharness.tla.plain_models.plain_model import PlainModel

FORMAT: Final = "pyharness-mutate/2"

_CODE: Final = Path(pyharness.machines.protocols.__file__).resolve().parent
_SECONDS: Final = 120
_MOST_NAMES: Final = 8
"""The number of judges that a summary names."""

_SHOWN: Final = 10
"""The number of changes that nothing notices that are shown with their details; of the others, a line each."""

_WHY: Final = {"spec": "by", "property": "why", "premise": "by", "code": "by", "bug": "why"}
"""The part of a trial that its summary counts."""


_MODEL: Final = click.option(
    "--model",
    "named",
    multiple=True,
    metavar="NAME",
    help="Of SPEC: its model in the plan quick; default its first.",
)
_MOST_SECONDS: Final = click.option(
    "--seconds",
    type=click.IntRange(1),
    default=_SECONDS,
    show_default=True,
    help="Most seconds for one spec.",
)
_ONLY: Final = click.option("--only", default="", metavar="TEXT", help="Only what has this in its name.")
_UPDATE: Final = click.option("--update", is_flag=True, help="Write the result into specs/weakenings.toml.")
_OUT: Final = click.option(
    "--out",
    type=DIRECTORY,
    default=Path("build/mutate"),
    show_default=True,
    help="Directory of kept answers.",
)
_SURVIVORS: Final = click.option(
    "--survivors",
    type=click.Path(path_type=Path),
    help="Accepted survivors, with reasons; default specs/survivors.toml, for FOO.tla none.",
)
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
_OF_SPEC: Final = ("named", "topologies", "items")
_OF_FILE: Final = ("config", "libraries")


def _workers(default: Callable[[], int], shown: str) -> Callable[..., Any]:
    return click.option(
        "--workers", type=click.IntRange(1, 64), default=default, show_default=shown, help="Trials at a time."
    )


@click.command()
@click.argument("spec")
@file_options
@options(CONSTANTS, _MODEL, TOPOLOGIES, ITEMS, PROPERTIES, _MOST_SECONDS, _SURVIVORS, specs_option, _JSON)
@click.pass_context
def mutate(
    context: click.Context,
    /,
    spec: str,
    *,
    properties: tuple[str, ...],
    seconds: int,
    survivors: Path | None,
    specs: Path,
    as_json: bool,
    **given: Any,
) -> None:
    """Change SPEC in one place at a time, and see whether some property notices.

    \b
      pyharness mutate Mutex.tla --config MC.cfg
      pyharness mutate ChandyLamport --topology ring:2 --items 1

    SPEC is the file of a module with a configuration, or the name of a shipped spec, of whose models in the plan quick
    one is changed, or several in turn: what nothing notices in one goes on to the next. Changed are the initial
    predicate, the actions and the operators that they use, and no definition that a property reads. TLC runs many
    mutants at once; those of which nothing is noticed are checked for the temporal properties, too. A verdict
    is about this configuration only.

    Exits with 0 if every mutant is noticed, by a property or because an action is never taken any more, is the same, or
    is on the list; with 1 if another one is not noticed; 2 for bad input; 3 if the spec itself does not pass, or a mutant
    is not decided; 4 if a tool failed.
    """  # noqa: D301 - click reads the \b
    from pyharness.mutants.specs.mutant_runs import mutate_in_turn  # noqa: PLC0415

    with _models(spec, specs, **given) as models:
        listed = _listed(survivors, "spec", spec)
        asked = [each.only(properties) if properties else each for each in models]
        found = mutate_in_turn(asked, find_tools(), Bounds(seconds, default_heap()), ProgressLines())
        several = f" in {found.models} models" if found.models > 1 else ""
        heading = (
            f"{models[0].heading}, {found.states:,} states{several}: {len(found.trials)} mutants, "
            f"{found.runs} runs of TLC, {found.seconds:.0f} s"
        )
    trials, _ = listed.judged(found.trials, complete=False)
    hint = "an instance's definitions, and those that a property reads, stay as they are"
    _report(context, "spec", heading, trials, as_json=as_json, where=spec, hint=hint)


@click.command()
@click.argument("plan", default="quick", metavar="[PLAN|SPEC]")
@file_options
@options(CONSTANTS, _MODEL, TOPOLOGIES, ITEMS, _MOST_SECONDS, _ONLY)
@click.option(
    "--check", "texts_only", is_flag=True, help="Of PLAN: compare the texts with their digests; no TLC."
)
@options(_UPDATE, _SURVIVORS, _OUT, _workers(tasks_at_once, "one more than cores"), specs_option, _JSON)
@click.pass_context
def weaken(
    context: click.Context,
    /,
    plan: str,
    *,
    seconds: int,
    only: str,
    texts_only: bool,
    update: bool,
    survivors: Path | None,
    out: Path,
    workers: int,
    specs: Path,
    as_json: bool,
    **given: Any,
) -> None:
    """Weaken each property in one place at a time, and see whether some mutant notices.

    \b
      pyharness mutate property quick
      pyharness mutate property Mutex.tla --config MC.cfg
      pyharness mutate property ChandyLamport --topology ring:2 --items 1

    The properties of a PLAN are judged by its seeded bugs: a weakening is noticed if a mutant that the property catches
    escapes it, is caught by a longer trace only or in fewer states, or if TLC cannot evaluate it there. TLC's answers
    are kept, so that a run that was interrupted goes on.

    The invariants and properties of SPEC, the file of a module or the name of a shipped spec, are judged by the mutants of
    `pyharness mutate SPEC`, followed to their end: a weakening is noticed if one of them violates the property and not
    the weakening, or TLC cannot evaluate it there.

    A weakening that is not noticed must be on the list, with the reason why it means the same; in no model of PLAN may
    it differ then.

    A weakening is not decided if only a judge may notice it on which TLC did not finish; --update writes nothing
    then. A judge that violates other properties beside the weakenings than alone does not count.

    Exits with 0 if every weakening is noticed or on the list, with 1 if not, 2 for bad input, 3 if a weakening is not
    decided, or there is nothing to weaken, 4 if a tool failed. With --check, with 1 if a text is not the one that was
    measured.
    """  # noqa: D301 - click reads the \b
    of_spec = is_module_file(plan) or plan in PROTOCOLS
    if of_spec:
        require_none_given(("texts_only", "update", "out", "workers"), "a plan", plan)
        from pyharness.mutants.properties.module_trials import weaken_model  # noqa: PLC0415

        listed = _listed(survivors, "property", plan)
        with _models(plan, specs, **given) as models:
            bounds = Bounds(seconds, default_heap())
            found = weaken_model(models[0], find_tools(), bounds, only=only, progress=ProgressLines())
        trials, _ = listed.judged(found.trials, complete=False)
        _report(context, "property", found.heading, trials, notes=found.notes, as_json=as_json)
    of_specs = (*_OF_FILE, *_OF_SPEC, "constants", "seconds")
    require_none_given(of_specs, "a spec, by its name or its file FOO.tla", plan)
    if texts_only:
        context.exit(_compare_texts(_read(plan, only, specs, update=update), as_json=as_json))
    given = {"survivors": survivors, "out": out, "workers": workers, "specs": specs, "as_json": as_json}
    _report_of_plan(context, "property", plan=plan, only=only, update=update, **given)


@click.command()
@click.argument("plan", default="quick")
@options(_ONLY, _UPDATE, _SURVIVORS, _OUT)
@options(_workers(tasks_at_once, "one more than cores"), specs_option, _JSON)
@click.pass_context
def strengthen(context: click.Context, /, *, as_json: bool, **given: Any) -> None:
    """Drop a premise, or an exemption, from each property of PLAN, and see whether a passing model notices.

    Where none does, the property could be stronger. It should be, or the reason why it does not is on the list; and the list
    must hold in all models. TLC's answers are kept.

    Exits with 0 if every change is refuted or on the list, with 1 if not, 2 for bad input, 3 if one is not decided, for
    TLC did not finish a model, or there is nothing to drop, 4 if a tool failed.
    """
    _report_of_plan(context, "premise", as_json=as_json, **given)


@click.command()
@click.argument("plan", default="quick")
@click.option("--cover", "covered", is_flag=True, help="Ask the models of PLAN's cover alone.")
@options(_ONLY, _SURVIVORS, _workers(tasks_at_once, "one more than cores"), specs_option, _JSON)
@click.pass_context
def plant(
    context: click.Context,
    plan: str,
    *,
    covered: bool,
    only: str,
    survivors: Path | None,
    workers: int,
    specs: Path,
    as_json: bool,
) -> None:
    """Put each seeded bug of PLAN into its spec, and see whether a model that is to pass notices.

    That properties catch a bug is shown in the bug's own setting. Whether a run of PLAN notices the bug in the spec itself
    depends on the models that are to pass: one notices by a violation, by other numbers of states than without the bug, or
    because TLC cannot evaluate the spec. Python is not asked.

    Exits with 0 if every bug is noticed or on the list, with 1 if not, 2 for bad input, 3 if a bug is not decided, or PLAN
    has none, 4 if a tool failed.
    """
    from pyharness.mutants.specs.seeded_bugs import try_bugs  # noqa: PLC0415

    read = read_plan(find_plan(plan, specs), specs)
    judges = (cover(read) if covered else read).models
    tried = try_bugs(read, judges, find_tools(specs), only=only, workers=workers, progress=ProgressLines())
    trials, problems = _listed(survivors, "bug", specs=specs).judged(tried, complete=not only)
    of = f"the cover of {read.name}" if covered else read.name
    _report(context, "bug", f"{of}: {len(trials)} seeded bugs", trials, problems, as_json=as_json)


@click.command()
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@options(_ONLY, _SURVIVORS, _OUT, _workers(cores, "all cores"), _JSON)
@click.pass_context
def mutation(
    context: click.Context,
    plans: Sequence[str],
    *,
    only: str,
    survivors: Path | None,
    out: Path,
    workers: int,
    as_json: bool,
) -> None:
    """Change the protocols in one place at a time, and see whether the comparison with the specs notices.

    The models are those of the PLANs (by default quick and then full) that are compared. A
    change that the first plan does not notice must be on the list with its reason, and what is on the list must not be
    noticed. The findings are kept, so that a run that was interrupted goes on, and a run with all mutants takes over
    those of a run with a few.

    Exits with 0 if that is so, with 1 if not, 2 for bad input, 3 if a model is not what the plan
    pins, or if no mutant or no model is left, 4 if a tool failed.
    """
    from pyharness.mutants.code.measurement import compared_models, measure, protocol_mutants  # noqa: PLC0415

    read = [read_plan(find_plan(name, SPECS), SPECS) for name in plans or ("quick", "full")]
    mutants = [each for each in protocol_mutants(_CODE) if only in each.id]
    if not mutants or not any(map(compared_models, read)):
        raise IncompleteError(
            "no mutant is chosen" if not mutants else "no model of these plans is compared",
            hint="--only chooses the mutants",
        )
    listed = _listed(survivors, "code")
    found = measure(read, mutants, _CODE, find_tools(), out, workers=workers, say=ProgressLines())
    trials, problems = listed.judged(found.trials(), plans=found.plans, complete=not only)
    heading = f"{len(trials)} mutants in {len(found.models)} models of {', '.join(found.plans)}"
    _report(context, "code", heading, trials, problems, as_json=as_json)


# -- subjects ----------------------------------------------------------------------------------------------------------


def _report_of_plan(
    context: click.Context,
    sort: str,
    *,
    plan: str,
    only: str,
    update: bool,
    survivors: Path | None,
    out: Path,
    workers: int,
    specs: Path,
    as_json: bool,
) -> None:
    """Weaken the properties of a plan, or drop their premises, and report it; update the list if all are decided."""
    from pyharness.mutants.properties.model_runs import ModelRuns  # noqa: PLC0415
    from pyharness.mutants.properties.plan_trials import PlanTrials  # noqa: PLC0415

    read = _read(plan, only, specs, update=update)
    runs = ModelRuns(read.library, find_tools(specs), out)
    asked = PlanTrials(read, runs, only=only, workers=workers, progress=ProgressLines())
    tried = asked.weaker() if sort == "property" else asked.bolder()
    trials, problems = _listed(survivors, sort, specs=specs).judged(tried, complete=not only)
    if update and all(each.verdict is not Verdict.INCOMPLETE for each in trials):
        texts, listing = CheckedTexts(read.models, read.library), read_weakenings(SPECS / STRENGTH)
        if sort == "property":
            figures = {key: _figures(trials, key, texts.digest(key)) for key in texts.texts()}
            listing = replace(listing, figures=figures)
        else:
            listing = replace(listing, premises=texts.passing_digests())
        write_named(SPECS / STRENGTH, listing_text(listing))
    changes = "weakenings" if sort == "property" else "premises"
    _report(context, sort, f"{read.name}: {len(trials)} {changes}", trials, problems, as_json=as_json)


def _read(plan: str, only: str, specs: Path, *, update: bool) -> Plan:
    if update and only:
        raise click.UsageError("--update is for all of a plan: without --only")
    if update and specs.resolve() != SPECS.resolve():
        raise click.UsageError("--update writes the list of the shipped specs: without --specs")
    return read_plan(find_plan(plan, specs), specs)


def _listed(survivors: Path | None, sort: str, spec: str = "", specs: Path = SPECS) -> Survivors:
    """Return the list that is named, or that of the specs; an empty one for a module's file, and where specs have none."""
    beside = specs / SURVIVORS
    if survivors is None and (is_module_file(spec) or not beside.is_file()):
        return Survivors({})
    return read_survivors(survivors or beside, sort)


@contextmanager
def _models(
    spec: str,
    specs: Path,
    *,
    config: Path | None,
    libraries: tuple[Path, ...],
    constants: tuple[str, ...],
    named: tuple[str, ...],
    topologies: tuple[str, ...],
    items: int | None,
) -> Iterator[list[PlainModel]]:
    from pyharness.mutants.specs.own_spec import plain_model_of  # noqa: PLC0415

    if is_module_file(spec):
        require_none_given(_OF_SPEC, "a shipped spec, by its name", spec)
        yield [read_model(Path(spec), config, constants=constants, libraries=libraries)]
        return
    require_none_given(_OF_FILE, "the file of a module: FOO.tla", spec)
    graphs = tuple(graph for each in topologies for graph in parse_topologies(each))
    given = parse_constants(constants) or None
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                plain_model_of(spec, specs, named=name, topologies=graphs, items=items, constants=given)
            )
            for name in named or (None,)
        ]


def _figures(trials: Sequence[Trial], key: str, digest: str) -> Figures:
    counted = Counter(each.verdict for each in trials if each.subject == key)
    return Figures(digest, counted.total(), counted[Verdict.NOTICED], counted[Verdict.ACCEPTED])


def _compare_texts(plan: Plan, *, as_json: bool) -> int:
    """Print which texts are not those that were weakened, and return the exit code."""
    if plan.strength is None:
        raise SpecError(f"its texts are pinned in no {STRENGTH}", where=plan.path.name)
    texts = CheckedTexts(plan.models, plan.library)
    digests, listing = {key: texts.digest(key) for key in texts.texts()}, read_weakenings(plan.strength)
    changed = [*changed_texts(digests, listing), *never_weakened(digests, listing)]
    if as_json:
        click.echo(json.dumps({"properties": len(digests), "changed": changed}, indent=2))
    else:
        hint = (
            ["run `pyharness mutate property --update` to see what notices the new text"] if changed else []
        )
        head = f"{len(digests)} properties, {len(changed)} changed"
        click.echo("\n".join([*changed, *hint, head]))
    return 1 if changed else 0


# -- results -----------------------------------------------------------------------------------------------------------


def _report(
    context: click.Context,
    sort: str,
    heading: str,
    trials: Sequence[Trial],
    problems: Sequence[str] = (),
    *,
    as_json: bool,
    notes: Sequence[str] = (),
    where: str | None = None,
    hint: str = "--only chooses by name: Module.Name",
) -> None:
    """Print the verdicts, and end with the exit code. Raises IncompleteError without a trial."""
    if not trials:
        raise IncompleteError("nothing is changed, so there is no result", where=where, hint=hint)
    survive = [each for each in trials if each.verdict is Verdict.SURVIVES]
    incomplete = [each for each in trials if each.verdict is Verdict.INCOMPLETE]
    if as_json:
        document = {
            "format": FORMAT,
            "of": sort,
            "heading": heading,
            "counts": counts_of(trials),
            "trials": [each.document() for each in trials],
            "problems": list(problems),
            "notes": list(notes),
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.secho(cleaned(heading), bold=True)
        for verdict, number in counts_of(trials).items():
            by = _judges(sort, trials) if verdict == Verdict.NOTICED.value else ""
            print_wrapped(f"{number:>5} ", f"{verdict}{by}")
        for number, each in enumerate([*survive, *incomplete]):
            _print(each, details=number < _SHOWN)
        for line in (*problems, *(f"note: {note}" for note in notes)):
            print_wrapped("", line)
        open_ones = f", {len(incomplete)} NOT DECIDED" if incomplete else ""
        wrong = f", {len(problems)} PROBLEMS" if problems else ""
        colour = "red" if survive or problems else "yellow" if incomplete else "green"
        click.secho(f"{len(survive)} NOT NOTICED{open_ones}{wrong}", fg=colour, bold=True)
    context.exit(1 if survive or problems else 3 if incomplete else 0)


def _judges(sort: str, trials: Sequence[Trial]) -> str:
    """Return in words which judges notice how many changes, or why."""
    noticed = (each for each in trials if each.verdict is Verdict.NOTICED)
    counted = Counter(getattr(each, _WHY[sort]).partition(":")[0] for each in noticed).most_common()
    shown = ", ".join(f"{name} {count}" for name, count in counted[:_MOST_NAMES])
    rest = sum(count for _, count in counted[_MOST_NAMES:])
    return f": {shown}" + (f", by others {rest}" if rest else "")


def _print(trial: Trial, *, details: bool) -> None:
    place = f" ({trial.place})" if trial.place else ""
    click.secho(cleaned(f"{trial.verdict.value}: {trial.subject}{place}"), fg="yellow")
    print_wrapped("  ", trial.change)
    print_wrapped("    ", trial.why)
    for line in trial.details if details else ():
        click.echo(f"    {cleaned(line)}".rstrip())
