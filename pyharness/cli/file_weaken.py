"""``pyharness mutate property FOO.tla``: the weakenings of any spec's properties, judged by its machine-made mutants."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.cli.file_check import default_heap, say_wrapped
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.mutants.specs.accepted_list import read_accepted
from pyharness.mutants.specs.plain_weakenings import Judged
from pyharness.mutants.specs.weakening_runs import weaken_plain
from pyharness.mutants.weakening.noticing import NOT_EVALUATED
from pyharness.tla.plain_models.plain_model import read_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pyharness.mutants.specs.plain_weakenings import WeakeningVerdict
    from pyharness.mutants.specs.weakening_runs import WeakenedModel
    from pyharness.tla.plain_models.plain_model import PlainModel

FORMAT: Final = "pyharness-weaken-file/1"

_SECONDS: Final = 120
"""What all of it may take, unless --seconds says otherwise."""


def weaken_file(
    path: Path,
    *,
    config: Path | None,
    libraries: Sequence[Path],
    constants: Sequence[str],
    accepted: Path | None,
    only: str,
    seconds: int | None,
    as_json: bool,
    progress: Callable[[str], None],
) -> int:
    """Weaken what the module in a file checks, print which weakenings its mutants notice, and return the exit code.

    Raises SpecError for what does not exist, cannot be read or is not done, IncompleteError where nothing is judged.
    """
    model = read_model(path, config, constants=constants, libraries=libraries)
    listed = read_accepted(accepted, "weakening", model.name) if accepted else {}
    bounds = Bounds(seconds or _SECONDS, default_heap())
    found = weaken_plain(model, find_tools(), bounds, only=only, progress=progress)
    if as_json:
        click.echo(json.dumps(_document(model, found, listed), indent=2, ensure_ascii=False))
    else:
        _print(model, found, listed)
    unnoticed = [each for each in found.of(Judged.UNNOTICED) if _key(each) not in listed]
    return 1 if unnoticed else 3 if found.of(Judged.UNDECIDED) else 0


def _key(verdict: WeakeningVerdict) -> tuple[str, str]:
    return verdict.weakening.of, verdict.weakening.change


def _document(
    model: PlainModel, found: WeakenedModel, listed: Mapping[tuple[str, ...], str]
) -> dict[str, Any]:
    entries = [_entry(each, listed) for each in found.verdicts]
    return {
        "format": FORMAT,
        "module": model.name,
        "configuration": model.config.where,
        "states": found.states,
        "runs": found.runs,
        "seconds": round(found.seconds, 1),
        "mutants": {"made": found.mutants, "whole": found.judges, "no_judges": found.no_judges},
        "counts": {judged.value: len(found.of(judged)) for judged in Judged},
        "properties": [
            {"name": prop.name, "weakenings": len(prop.weakenings), "violated_by": found.violators[prop.name]}
            for prop in found.choice.properties
        ],
        "left_out": dict(found.choice.left_out),
        "notes": _notes(model),
        "weakenings": entries,
        "unnoticed": [
            entry
            for entry in entries
            if entry["verdict"] == Judged.UNNOTICED.value and entry["accepted"] is None
        ],
    }


def _entry(verdict: WeakeningVerdict, listed: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    mutant = verdict.by
    return {
        "property": verdict.weakening.of,
        "weakening": verdict.weakening.change,
        "verdict": verdict.judged.value,
        "accepted": listed.get(_key(verdict)) if verdict.judged is Judged.UNNOTICED else None,
        "by": None
        if mutant is None
        else {
            "number": mutant.number,
            "place": {"module": mutant.module, "line": mutant.line, "definition": mutant.definition},
            "change": {"kind": mutant.kind, "old": mutant.old_text, "new": mutant.new_text or None},
        },
        "how": verdict.how or None,
        "why": verdict.why or None,
    }


def _notes(model: PlainModel) -> list[str]:
    cuts = (*model.config.constraints, *model.config.action_constraints)
    return [f"nothing beyond {', '.join(cuts)} was looked at"] if cuts else []


# -- text --------------------------------------------------------------------------------------------------------------


def _print(model: PlainModel, found: WeakenedModel, listed: Mapping[tuple[str, ...], str]) -> None:
    under = f" under {model.config.where}" if model.config.where else ""
    click.secho(
        f"{model.name}{under}, {found.states:,} states: {len(found.verdicts)} weakenings, {found.mutants} mutants, "
        f"{found.runs} runs of TLC, {found.seconds:.0f} s",
        bold=True,
    )
    say_wrapped("  judges: ", _judges(found))
    for judged in Judged:
        own = found.of(judged)
        unable = sum(each.how == NOT_EVALUATED for each in own)
        more = f", {unable} of them as TLC cannot evaluate it where it can the property" if unable else ""
        if own:
            say_wrapped(f"{len(own):>5} ", f"{judged.value}{more}")
    all_unnoticed = found.of(Judged.UNNOTICED)
    unnoticed = [each for each in all_unnoticed if _key(each) not in listed]
    if accepted := len(all_unnoticed) - len(unnoticed):
        click.echo(f"{accepted:>5} of those that are not noticed are accepted, with a reason")
    for prop in found.choice.properties:
        own = [each for each in found.verdicts if each.weakening.of == prop.name]
        _print_property(prop.name, own, unnoticed, found)
    for name, why in found.choice.left_out.items():
        say_wrapped("  left out: ", f"{name}: {why}")
    for note in _notes(model):
        say_wrapped("  note: ", note)
    undecided = len(found.of(Judged.UNDECIDED))
    open_ones = f", {undecided} NOT DECIDED" if undecided else ""
    colour = "red" if unnoticed else "yellow" if undecided else "green"
    click.echo()
    click.secho(
        f"{len(unnoticed)} NOT NOTICED{open_ones}, by these mutants in this configuration",
        fg=colour,
        bold=True,
    )


def _judges(found: WeakenedModel) -> str:
    late = found.mutants - found.judges - found.no_judges
    parts = [f"{found.judges} mutants that were followed to their end"]
    if found.no_judges:
        parts.append(f"{found.no_judges} are none, as TLC cannot take them")
    if late:
        parts.append(f"{late} were not followed to their end")
    return "; ".join(parts)


def _print_property(
    name: str,
    verdicts: Sequence[WeakeningVerdict],
    unnoticed: Sequence[WeakeningVerdict],
    found: WeakenedModel,
) -> None:
    open_ones = [each for each in verdicts if each in unnoticed]
    undecided = [each for each in verdicts if each.judged is Judged.UNDECIDED]
    if not open_ones and not undecided:
        return
    noticed = sum(each.judged is Judged.NOTICED for each in verdicts)
    click.echo()
    violators = found.violators[name] or "no"
    say_wrapped(
        "",
        f"{name}: {noticed} of {len(verdicts)} weakenings noticed; {violators} "
        f"{'mutant violates' if violators == 1 else 'mutants violate'} it",
    )
    for each in open_ones:
        say_wrapped("  not noticed: ", each.weakening.change)
    for why in dict.fromkeys(each.why for each in undecided):
        for each in undecided:
            if each.why == why:
                say_wrapped("  not decided: ", each.weakening.change)
        say_wrapped("    ", why)
