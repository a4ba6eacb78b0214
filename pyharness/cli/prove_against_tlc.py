"""What ``pyharness prove`` asks of TLC: its counterexamples as initial states, and its formulas on state graphs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from pyharness.conformance.induction_in_tlc import in_tlc
from pyharness.conformance.third_party import held_models, hold
from pyharness.errors import IncompleteError, SpecError
from pyharness.modules.library import Library
from pyharness.plan.plan import read_plan
from pyharness.proof.expectations import held
from pyharness.run.machine_tools import find_tools
from pyharness.toolchain.own_files import write_text
from pyharness.toolchain.spec_files import SPECS, find_plan, module_directories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyharness.conformance.induction_in_tlc import InTlc
    from pyharness.proof.refutation import Refuted

FILE = "held_against_tlc.txt"
"""The name of the list of what was held against TLC."""


def ask_tlc(refuted: Sequence[Refuted]) -> list[InTlc]:
    """Give the counterexamples to TLC as initial states.

    Raises IncompleteError unless there is a verdict on each: what TLC was not asked, it does not confirm.
    """
    verdicts = in_tlc(refuted, Library(*module_directories(SPECS)), find_tools(SPECS))
    asked = [(one.module, one.mutant) for one in refuted if one.obligation is not None]
    told = {(one.module, one.mutant) for one in verdicts}
    silent = [f"{module} with {mutant}" for module, mutant in asked if (module, mutant) not in told]
    if silent:
        raise IncompleteError(
            f"there is no verdict on {', '.join(silent)}", where="the counterexamples in TLC"
        )
    return verdicts


def show_verdict(verdict: InTlc) -> str:
    """Say what TLC says of a counterexample."""
    who = f"{verdict.module} with {verdict.mutant}: {verdict.breaks}"
    if verdict.ok:
        return f"TLC: {who} is broken there, too"
    return (
        f"TLC: {who} is not asked: {verdict.outside}"
        if verdict.outside
        else f"NOT IN TLC: {who}: {verdict.why}"
    )


def hold_against_tlc(
    specs: Sequence[str], out: Path | None, *, as_json: bool, say: Callable[[str], None]
) -> int:
    """Hold the formulas against TLC's state graphs, print what was compared, and return the exit code.

    It is 3 when what was compared is not what the committed list says. Raises ConformanceError where they differ.
    """
    models = held_models(read_plan(find_plan("quick", SPECS), SPECS), specs)
    if not models:
        raise SpecError(f"no state graphs of {', '.join(specs)} are compared")
    library, tools = Library(*module_directories(SPECS)), find_tools(SPECS)
    rows = []
    for model in models:
        say(model.name)
        rows.append(hold(model, library, tools))
        if not as_json:
            click.echo(f"{model.name}: {rows[-1].found}")
    found = {row.model: str(row) for row in rows}
    listed = {row[0]: " ".join(map(str, row)) for row in held() if not specs or row[1] in specs}
    differ = sorted(name for name in {*found, *listed} if found.get(name) != listed.get(name))
    totals: dict[str, Any] = {
        "graphs": sum(row.graphs for row in rows),
        "states": sum(row.states for row in rows),
        "steps": sum(row.steps for row in rows),
        "asked": sum(row.asked for row in rows),
    }
    if out is not None:
        write_text(out / FILE, "".join(f"{row}\n" for row in rows))
    if as_json:
        models_said = [row.__dict__ for row in rows]
        click.echo(json.dumps({**totals, "models": models_said, "differ": differ}, indent=2))
    else:
        click.echo(
            f"{totals['graphs']} graphs, {totals['states']:,} states, {totals['steps']:,} steps, no mismatch; "
            f"the invariant was asked for on {totals['asked']} of the graphs"
        )
        for name in differ:
            click.echo(f"not as listed: {name}: found {found.get(name)}, listed {listed.get(name)}")
    return IncompleteError.exit_code if differ else 0
