"""``pyharness prove``: obligations for every graph, settled by two solvers; a seeded bug has a counterexample."""

from __future__ import annotations

import json
import time
from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.extras import require_extra
from pyharness.base.toolchain.own_files import write_text
from pyharness.base.toolchain.spec_files import SPECS, find_plan, module_directories
from pyharness.cli.progress import progress_line
from pyharness.cli.shared_options import DIRECTORY, require_none_given
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.proof_lists import expected, held, noticed
from pyharness.models.machine_tools import find_tools
from pyharness.prove.counterexample import behaviour, text
from pyharness.prove.goal_notices import notices, unnoticed
from pyharness.prove.obligations import invariant, obligations
from pyharness.prove.proof_catalogue import MODULES, system
from pyharness.prove.proving import SECONDS, SUBJECTS, Proved, missing, subject
from pyharness.prove.proving import prove as prove_obligations
from pyharness.prove.refutation import Refuted, refute_all
from pyharness.prove.solvers import LOCKED, PACKAGES, SOLVERS, processes, version
from pyharness.prove.third_party import held_models, hold
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyharness.prove.logic import Structure
    from pyharness.prove.obligations import Obligation


FILE = "held_against_tlc.txt"
"""The name of the list of the formulas' comparisons with TLC."""


def hold_against_tlc(specs: Sequence[str], out: Path | None, progress: Callable[[str], None]) -> int:
    """Compare the formulas with TLC's state graphs, print what was compared, and return the exit code.

    It is 3 when the comparisons are not those of the committed list. Raises ConformanceError where formulas and TLC differ.
    """
    models = held_models(read_plan(find_plan("quick", SPECS), SPECS), specs)
    if not models:
        raise SpecError(f"no state graphs of {', '.join(specs)} are compared")
    library, tools = Library(*module_directories(SPECS)), find_tools(SPECS)
    rows = []
    for model in models:
        progress(model.name)
        rows.append(hold(model, library, tools))
        click.echo(f"{model.name}: {rows[-1].found}")
    found = {row.model: str(row) for row in rows}
    listed = {row[0]: " ".join(map(str, row)) for row in held() if not specs or row[1] in specs}
    differ = sorted(name for name in {*found, *listed} if found.get(name) != listed.get(name))
    if out is not None:
        write_text(out / FILE, "".join(f"{row}\n" for row in rows))
    click.echo(
        f"{sum(row.graphs for row in rows)} graphs, {sum(row.states for row in rows):,} states, "
        f"{sum(row.steps for row in rows):,} steps, no mismatch; "
        f"the invariant was asked for on {sum(row.asked for row in rows)} of the graphs"
    )
    for name in differ:
        click.echo(f"not as listed: {name}: found {found.get(name)}, listed {listed.get(name)}")
    return IncompleteError.exit_code if differ else 0


FORMAT = "pyharness-prove/1"
"""Names the JSON document and its version."""

_NOT_PROVED = 1


@click.command()
@click.argument("spec", nargs=-1)
@click.option(
    "--solver",
    type=click.Choice(["both", *SOLVERS]),
    default="both",
    show_default=True,
    help="Which solvers must find an obligation valid.",
)
@click.option("--mutants", is_flag=True, help="Also refute every seeded bug, and see what each goal notices.")
@click.option(
    "--held-against-tlc", is_flag=True,
    help="Instead, compare the formulas with TLC's state graphs, those of the plan quick; takes minutes.",
)  # fmt: skip
@click.option(
    "--leave-out", metavar="NAME", help="Prove without this assumption or conjunct, and see what fails then."
)
@click.option(
    "--out",
    type=DIRECTORY,
    help="Write each obligation as SMT-LIB 2 into this directory.",
)
@click.option(
    "--seconds", default=SECONDS, show_default=True, help="How long a solver may take for one obligation."
)
@click.option(
    "--update", is_flag=True, help="Write what is to be proved, and what each goal notices, for commit."
)
@click.option(
    "--accept",
    multiple=True,
    metavar="GLOB",
    help="With --update: lines of the lists that match are meant to be gone; may be repeated.",
)
@click.option("--list", "only_list", is_flag=True, help="Only print the names of the obligations.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def prove(
    context: click.Context,
    spec: tuple[str, ...],
    *,
    solver: str,
    mutants: bool,
    held_against_tlc: bool,
    leave_out: str | None,
    out: Path | None,
    seconds: float,
    update: bool,
    accept: tuple[str, ...],
    only_list: bool,
    as_json: bool,
) -> None:
    """Prove for every graph, every application and any number of messages what TLC checks on small ones.

    SPEC is a module or one of the theorems beyond invariants; by default all of them. Exits with 1 when an obligation
    is refuted, and shows the smallest counterexample; with 3 when a solver does not know, an action was not seen to be
    possible, an obligation is missing, a seeded bug is not refuted although it is not listed as one, or a goal does not
    notice what it noticed; with 2 when a solver is not installed.
    """
    subjects = spec or SUBJECTS
    if held_against_tlc:
        require_none_given(("as_json",), "the proofs", "--held-against-tlc")
        with progress_line("proving") as progress:
            code = hold_against_tlc(spec, out, progress)
        context.exit(code)
    if update:
        _update(accept)
        return
    found = [o for name in dict.fromkeys(subjects) for o in _of(name, leave_out)]
    if only_list:
        click.echo("\n".join(f"{o.module}/{o.name}" for o in found))
        return
    solvers = tuple(SOLVERS) if solver == "both" else (solver,)
    require_extra("prove", *(PACKAGES[name] for name in solvers))
    versions = {name: version(name) for name in solvers}
    if out is not None:
        _write(found, out)
    began = time.monotonic()
    with progress_line("proving") as progress:
        done = Counter[str]()

        def note(result: Proved) -> None:
            done[result.status] += 1
            one = result.obligation
            progress(f"{sum(done.values())} of {len(found)}: {one.module}/{one.name}")

        results = prove_obligations(found, solvers, seconds=seconds, done=note)
        refuted = []
        for one in refute_all(subjects, solvers) if mutants else ():
            refuted.append(one)
            progress(f"mutants: {one.module} {one.mutant}")
        progress("what each goal notices")
        hollow = unnoticed(subjects) if mutants else []
    absent = hollow if leave_out else [*missing(subjects, found), *hollow]
    document = _document(results, refuted, absent, versions, time.monotonic() - began)
    if as_json:
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _show(results, refuted, absent, document)
    context.exit(_exit_code(results, refuted, absent))


def _update(accept: tuple[str, ...]) -> None:
    """Write the lists of what is to be proved, and of what each goal notices, where they are committed.

    Raises IncompleteError if a line would be gone that does not match one of ``accept``.
    """
    package = SPECS / "proofs"
    found = [f"{o.module}/{o.name}" for name in SUBJECTS for o in subject(name)]
    _require_kept(expected(), found, accept)
    with progress_line("proving"), processes() as pool:
        lines = [" ".join(one) for found_of in pool.map(notices, SUBJECTS) for one in found_of]
    _require_kept(noticed(), lines, accept)
    write_text(package / "expected.txt", "".join(f"{line}\n" for line in found))
    write_text(package / "noticed.txt", "".join(f"{line}\n" for line in lines))
    click.echo(f"{len(found)} obligations, {len(lines)} that goals notice")


def _require_kept(old: list[str], new: list[str], accept: tuple[str, ...]) -> None:
    """Require that each line that is gone matches one of ``accept``. Raises IncompleteError."""
    kept = set(new)
    if gone := [
        line for line in old if line not in kept and not any(fnmatchcase(line, each) for each in accept)
    ]:
        raise IncompleteError(
            f"{len(gone)} lines would be gone: {'; '.join(gone[:10])}",
            where="--update",
            hint="if that is meant, name them: --accept 'GLOB'",
        )


def _of(name: str, leave_out: str | None) -> list[Obligation]:
    if leave_out is None:
        return subject(name)
    if name not in MODULES:
        return []
    module = system(name)
    names = list(invariant(module, module.state()))
    if leave_out not in names:
        raise SpecError(f"{name} has no {leave_out!r} to leave out", hint=f"there are: {', '.join(names)}")
    return list(obligations(module, without=leave_out))


def _exit_code(results: Sequence[Proved], refuted: Sequence[Refuted], absent: Sequence[str]) -> int:
    if any(result.status == "refuted" and result.obligation.goal is not None for result in results):
        return _NOT_PROVED
    complete = bool(results) and all(result.ok for result in results) and all(one.ok for one in refuted)
    return 0 if complete and not absent else IncompleteError.exit_code


def _document(
    results: Sequence[Proved],
    refuted: Sequence[Refuted],
    absent: Sequence[str],
    versions: dict[str, str],
    wall: float,
) -> dict[str, Any]:
    claims: dict[str, Counter[str]] = {}
    for result in results:
        for claim in result.obligation.claims:
            claims.setdefault(claim, Counter())[result.status] += 1
    return {
        "format": FORMAT,
        "ok": _exit_code(results, refuted, absent) == 0,
        "solvers": versions,
        "counts": dict(Counter(result.status for result in results)),
        "wall_seconds": round(wall, 1),
        "cpu_seconds": {
            solver: round(sum(r.answers[solver].seconds for r in results if solver in r.answers), 2)
            for solver in versions
        },
        "claims": {claim: dict(counts) for claim, counts in sorted(claims.items(), key=_by_number)},
        "missing": list(absent),
        "obligations": [
            {
                "subject": result.obligation.module,
                "name": result.obligation.name,
                "claims": list(result.obligation.claims),
                "status": result.status,
                "solvers": {name: answer._asdict() for name, answer in result.answers.items()},
                **_universe(result.structure),
            }
            for result in results
        ],
        "mutants": [
            {
                "subject": one.module,
                "mutant": one.mutant,
                "breaks": one.obligation.name if one.obligation else None,
                "reason": one.reason or None,
                "ok": one.ok,
                **_universe(one.structure),
            }
            for one in refuted
        ],
    }


def _by_number(item: tuple[str, object]) -> tuple[str, int]:
    return item[0][0], int(item[0][1:])


def _universe(structure: Structure | None) -> dict[str, Any]:
    if structure is None:
        return {}
    u = structure.universe
    return {"universe": {"processes": u.processes, "channels": u.channels, "positions": u.positions}}


def _write(found: Sequence[Obligation], out: Path) -> None:
    for obligation in found:
        path = out / f"{obligation.module}" / f"{obligation.name.replace('/', '-')}.smt2"
        write_text(path, obligation.smtlib())


def _title(obligation: Obligation, mutant: str = "") -> str:
    who = f"{obligation.module} with {mutant}" if mutant else obligation.module
    return f"{who}: {obligation.name} fails"


def _show(
    results: Sequence[Proved],
    refuted: Sequence[Refuted],
    absent: Sequence[str],
    document: dict[str, Any],
) -> None:
    for name in dict.fromkeys(result.obligation.module for result in results):
        mine = [result for result in results if result.obligation.module == name]
        counts = Counter(result.status for result in mine)
        click.echo(f"{name}: {', '.join(f'{number} {status}' for status, number in counts.items())}")
    for result in results:
        if not result.ok:
            _show_failure(result)
    for one in refuted:
        _show_mutant(one)
    for line in absent:
        click.echo(f"missing: {line}")
    seconds = ", ".join(f"{name} {spent} s" for name, spent in document["cpu_seconds"].items())
    proved, possible = (document["counts"].get(status, 0) for status in ("proved", "possible"))
    click.echo(
        f"{proved} proved, {possible} possible, of {len(results)}; CPU: {seconds}; wall {document['wall_seconds']} s"
    )
    others = [f"{name} {found}" for name, found in document["solvers"].items() if found != LOCKED.get(name)]
    other = f" (with another solver than the locked one: {', '.join(others)})" if others else ""
    click.echo(("proved" if document["ok"] else "not proved") + other)


def _show_failure(result: Proved) -> None:
    obligation = result.obligation
    answers = ", ".join(f"{name}: {answer.verdict}" for name, answer in result.answers.items())
    click.echo(f"{result.status}: {obligation.module}/{obligation.name} {answers}".rstrip())
    if result.structure is not None and obligation.system is not None:
        click.echo(text(_title(obligation), behaviour(obligation, result.structure)))


def _show_mutant(one: Refuted) -> None:
    if one.obligation is not None and one.structure is not None:
        click.echo(text(_title(one.obligation, one.mutant), behaviour(one.obligation, one.structure)))
        if not one.ok:
            click.echo("  and yet it is listed as one that is not refuted")
    else:
        found = f"not refuted, as listed: {one.reason}" if one.ok else "NOT REFUTED, and not listed as such"
        click.echo(f"{one.module} with {one.mutant}: {found}")
