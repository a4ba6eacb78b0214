"""``pyharness check``: run a plan, or check one model of a spec, and print the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pyharness.cli.gate_command import check_for_ci
from pyharness.cli.kept_verdict import KeptVerdict
from pyharness.cli.library.model_checks import is_module_file
from pyharness.cli.one_model import ONE_MODEL, file_options, is_spec, one_model_options
from pyharness.cli.plan_run import model_lines, out_of, page_line, run_chosen, run_options
from pyharness.cli.run_summary import print_summary, to_document
from pyharness.cli.shared_options import require_none_given
from pyharness.cli.single_check import check_one


@click.command()
@run_options
@one_model_options
@file_options
@click.option(
    "--strict",
    is_flag=True,
    help="Of SPEC, FOO.tla: incomplete, too, if an action is never taken or a premise never reached.",
)
@click.option(
    "--annotations",
    "annotate",
    is_flag=True,
    help="Of SPEC, FOO.tla, and with --ci: print GitHub annotations; with --ci GITHUB_ACTIONS=true does, too.",
)
@click.option(
    "--list", "as_list", is_flag=True, help="Print the models that would run, one a line, and run nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document instead of the summary.")
@click.option(
    "--ci",
    is_flag=True,
    help="Of a plan: leave junit.xml, summary.md and failures/ in --out, for a CI system.",
)
@click.pass_context
def check(
    context: click.Context,
    /,
    plan: str,
    *,
    as_json: bool,
    as_list: bool,
    ci: bool,
    config: Path | None,
    libraries: tuple[Path, ...],
    strict: bool,
    annotate: bool,
    **options: Any,
) -> None:
    """Model-check PLAN, which is the name of a plan (quick, full), a plan's file, a spec, or the file of any module.

    \b
      pyharness check                                              the plan quick
      pyharness check quick --cover                                what fits into a minute and a half
      pyharness check quick --only 'chandy-*'                      some of its models
      pyharness check ChandyLamport --topology ring:3              one spec, without a plan
      pyharness check ChandyLamport:LateTurn --topology ring:2
      pyharness check WhiteRed --topology ring:2 --override 'MayTake=TRUE' --open
      pyharness check quick --ci                                   with JUnit, a summary and traces for a CI system
      pyharness check Mutex.tla --config MC.cfg                    any spec, with its own configuration

    A plan's traces are replayed on Python, and every model is judged. Of a spec, the properties of its model in the
    plan quick, or else its theorems, are checked once, of SPEC:BUG first the one that the bug is known for. A file
    FOO.tla is checked by its FOO.cfg, or else its theorems. A counterexample is printed as a table, and left as a page
    and as a trace; of a file with --out or --open.

    Exits with 0 if every model has the result that the plan expects, with 1 at a violation or nonconformance, 2 if
    plan or spec is wrong, 3 if evidence is missing (killed, timed out, over the budget, pins differ), 4 if a tool
    failed or the report for people to look at, report/index.html below --out, cannot be written.
    """  # noqa: D301 - click reads the \b
    file = is_module_file(plan)
    if not file:
        require_none_given(("config", "libraries"), "the file of a module, FOO.tla", plan)
    one = {name: options.pop(name) for name in ONE_MODEL}
    if not ci and (file or is_spec(plan, options["specs"])):
        of_plan = ("only", "cover", "budget", "fresh", "master", "as_list")
        require_none_given(of_plan, "a plan; name one, such as quick", plan)
        context.exit(
            check_one(
                plan,
                config=config,
                libraries=libraries,
                one=one,
                as_json=as_json,
                strict=strict,
                annotate=annotate,
                specs=options["specs"],
                out=options["out"],
            )
        )
    of_model = (*ONE_MODEL, "strict", *(() if ci else ("annotate",)))
    named = "one model, without --ci" if ci else "one model; name a spec, such as ChandyLamport"
    require_none_given(of_model, named, plan)
    if ci:
        if as_json:
            raise click.UsageError("--ci leaves files; --json prints the document of a run without them")
        check_for_ci(context, plan, annotate=annotate, **options)
    if as_list:
        for line in model_lines(plan, options["only"], options["specs"], cover=options["cover"]):
            click.echo(line)
        return
    kept = None
    if not (as_json or any(options[name] for name in ("fresh", "only", "budget", "master"))):
        kept = KeptVerdict(plan, options["specs"], out_of(plan, options["out"]), cover=options["cover"])
        if summary := kept.find():
            click.echo(summary)
            return
    ran = run_chosen(plan, **options)
    if as_json:
        click.echo(to_document(ran.report, ran.seconds))
    else:
        summary = print_summary(ran.report, ran.seconds)
        if kept:
            kept.keep(ran, summary)
    click.echo(page_line(ran.page), err=as_json or not isinstance(ran.page, Path))
    context.exit(ran.exit_code)
