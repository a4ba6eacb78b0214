"""What of docs/ is made from the code; ``make docs`` writes them, a test holds them to it."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from copy import copy
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import click

import pyharness
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli.main import COMMANDS, cli, command_of
from pyharness.gate.jobs.table_schemas import schema_of
from pyharness.gate.plans.proof_lists import expected, held
from pyharness.hold.flink.expected_differences import recorded_differences
from pyharness.machines.protocols.barriers import barrier_protocols
from pyharness.machines.protocols.checkpoints import checkpoint_coordinator, checkpoint_tasks, operator
from pyharness.machines.protocols.collecting import collection
from pyharness.machines.protocols.colouring import white_red
from pyharness.machines.protocols.common import process
from pyharness.machines.protocols.markers import chandy_lamport, snapshots
from pyharness.machines.protocols.stopping import stop_the_world
from pyharness.machines.replay import schedule
from pyharness.models.table_rows import TABLES
from tests.hold.flink.unit_tests import unit_tests
from tests.test_layers import BESIDE, MODULES, WINGS, imports, wing

if TYPE_CHECKING:
    from types import ModuleType


DOCS = ROOT / "docs"
MADE = "<!-- made by `make docs`; do not edit -->\n"


def cli_page() -> str:
    """Every command's ``--help``, as it is on a terminal of 100 columns."""
    parts = [f"# The command line\n\n{MADE}\n", _help("pyharness", cli)]
    commands = (f"\n## {name}\n\n{_help(f'pyharness {name}', command_of(name))}" for name in sorted(COMMANDS))
    return "".join([*parts, *commands])


def _help(name: str, command: click.Command) -> str:
    own = copy(
        command
    )  # with its own --help: click keeps the one that was asked for first, maybe outside the group
    own.params, own.add_help_option = list(command.params), False
    click.help_option("-h", "--help")(own)
    context = click.Context(own, info_name=name, terminal_width=100)
    return f"```text\n{own.get_help(context).strip()}\n```\n"


def tables_page() -> str:
    """Every table's columns with their types, and the docstring of the class of its rows."""
    head = (
        f"# The tables of a run\n\n{MADE}\n"
        "`pyharness check` leaves them in `build/PLAN/tables/`, each a directory with a Parquet file. In a\n"
        "notebook, `pyharness.read_table(NAME)` gives one as a pandas data frame.\n"
    )
    lines = [head]
    for name, kind in TABLES.items():
        says = inspect.cleandoc(str(kind.__doc__)).replace("``", "`")
        lines.append(
            f"\n## {name}\n\nA row: {says[0].lower()}{says[1:]}\n\n| column | type | may be null |\n|---|---|---|\n"
        )
        lines += [
            f"| `{field.name}` | {field.type} | {'yes' if field.nullable else ''} |\n"
            for field in schema_of(kind)
        ]
    return "".join(lines)


def flink_page() -> str:
    """The known differences between Flink and the spec, and the unit tests of Flink that cannot be written down."""
    head = (
        f"# Differences between Flink and the spec\n\n{MADE}\n"
        "From `pyharness/hold/flink/expected_differences.toml`. `pyharness hold flink` fails at another one, and when\n"
        "one of these is not there any more. Each side is shown with its effects at the last event of the sequence.\n"
    )
    lines = [head]
    for each in recorded_differences():
        lines.append(f"\n## {each.name.replace('-', ' ').capitalize()}\n\n{each.why}\n\n")
        lines.append(f"In Flink: `{each.rule}`. Versions: {', '.join(each.versions)}.\n\n")
        lines.append("| mode | inputs | sequence | the spec | Flink |\n|---|--:|---|---|---|\n")
        lines += [f"| {c.mode} | {c.inputs} | `{c.sequence}` | {c.spec} | {c.flink} |\n" for c in each.cases]
    lines.append("\n## Unit tests of Flink that cannot be written down\n\n| test | it needs |\n|---|---|\n")
    lines += [f"| `{t.test}` | {t.not_expressible} |\n" for t in unit_tests() if t.not_expressible]
    return "".join(lines)


def examples_page() -> str:
    """The format of a worked example's file, as its reader says it."""
    title, _, rest = inspect.cleandoc(str(schedule.__doc__)).partition("\n")
    return (
        f"# Worked examples, as files\n\n{MADE}\n"
        "`pyharness trace example FILE.toml` takes a behaviour that is written down step by step, and prints the snapshot\n"
        "that it records; `pyharness trace export FILE.toml` writes its page, picture or text. The shipped ones are in\n"
        "`specs/examples/`.\n\n"
        f"```text\n{title}\n{rest}\n```\n"
    )


def picture(name: str, *, reordered: bool = False) -> str:
    """The diagram of a committed trace, or of the equivalent computation."""
    trace = pyharness.read_trace(ROOT / "traces" / f"{name}.itf.json")
    return (trace.reorder().trace if reordered else trace).to_svg()


PROTOCOLS = (
    process,
    chandy_lamport,
    snapshots,
    collection,
    white_red,
    stop_the_world,
    barrier_protocols,
    operator,
    checkpoint_tasks,
    checkpoint_coordinator,
)
"""The modules of the page."""


def protocols_page() -> str:
    """Each machine's theory of operation."""
    head = (
        f"# The protocols\n\n{MADE}\n"
        "`pyharness.machines.protocols` has the snapshot protocols as state machines without I/O, to be driven by your program\n"
        "(how: [hold your own implementation](../how-to/hold-your-own-implementation.md)).\n"
        "This page has the duties of its driver. An event that is not enabled in a state is no error: its handler returns\n"
        "`None`, or yields nothing.\n"
    )
    parts = [head]
    for module in PROTOCOLS:
        title, _, _ = _prose(module).partition("\n")
        parts.append(f"\n## {title.rstrip('.')}\n\n`{module.__name__}`\n\n{_theory(module)}\n")
    return "".join(parts)


def _prose(module: ModuleType) -> str:
    """A module's docstring as Markdown."""
    text = inspect.getdoc(module) or ""
    text = re.sub(r":\w+:`~?\.?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    return text.replace("``", "`")


def _theory(module: ModuleType) -> str:
    """The section of a module's docstring that is its theory of operation, without the examples behind it."""
    _, found, text = _prose(module).partition("Theory of operation\n===================\n")
    if not found:
        raise ValueError(f"{module.__name__} has no theory of operation")
    return re.split(r"\n\n(?=[^\n]*:\n\n>>>|>>>)", text)[0].strip()


def architecture_page() -> str:
    """The page on the architecture, with its table of wings and its picture of who imports whom written anew."""
    page = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    names = [*WINGS, *BESIDE]
    used: dict[str, set[str]] = {name: set() for name in names}
    for path in MODULES:
        own = wing(".".join(path.with_suffix("").parts))
        if own:
            used[own] |= {other for module, _ in imports(path) if (other := wing(module)) and other != own}
    rows = [f"| `{name}` | {_first_sentence(import_module(f'pyharness.{name}'))} |\n" for name in names]
    arrows = [
        f"    {name} --> {other}\n"
        for name in names
        for other in sorted(_directly(name, used), key=names.index)
    ]
    page = _with_block(page, "wings", f"| wing | what it is for |\n|---|---|\n{''.join(rows)}")
    return _with_block(page, "imports", f"```mermaid\nflowchart BT\n{''.join(arrows)}```\n")


def _with_block(page: str, name: str, block: str) -> str:
    begin, end = f"<!-- {name}: made by `make docs` -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{block}\n{end}{after}"


def _first_sentence(module: ModuleType) -> str:
    text = " ".join(inspect.getdoc(module).split("\n\n")[0].split())
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", text).replace("``", "`")


def _directly(name: str, used: dict[str, set[str]]) -> set[str]:
    """Return the wings that a wing imports, but for those that one of the others imports in its turn."""

    def reached(one: str) -> set[str]:
        return used[one].union(*map(reached, used[one]))

    return {other for other in used[name] if not any(other in reached(one) for one in used[name] - {other})}


def with_proofs(page: str) -> str:
    """A page with the numbers of obligations that are proved, and of what they were held against."""
    counted = Counter(
        "possible" if {"Possible", "Needed"} & set(line.split("/")) else "proved" for line in expected()
    )
    totals = [sum(row[at] for row in held()) for at in range(2, 6)]
    figures = {
        r"[\d,]+(?= first-order obligations, and find)": counted["proved"],
        r"(?<=and find )[\d,]+(?= more possible)": counted["possible"],
        r"(?<=settles )[\d,]+(?= obligations)": counted.total(),
        r"[\d,]+(?= are proved: both solvers)": counted["proved"],
        r"[\d,]+(?= say that something is possible)": counted["possible"],
        r"(?<=finds )[\d,]+(?= graphs, [\d,]+ states, [\d,]+ steps and no)": totals[0],
        r"[\d,]+(?= states, [\d,]+ steps and no mismatch)": totals[1],
        r"[\d,]+(?= steps and no mismatch)": totals[2],
        r"(?<=on )[\d,]+(?= of the graphs the invariant is asked for)": totals[3],
    }
    text = (DOCS / page).read_text(encoding="utf-8")
    for pattern, number in figures.items():
        text = re.sub(pattern, f"{number:,}", text)
    return text


PAGES = {
    **{page: partial(with_proofs, page) for page in ("../README.md", "explanation/for-every-graph.md")},
    "explanation/architecture.md": architecture_page,
    "reference/cli.md": cli_page,
    "reference/examples.md": examples_page,
    "reference/flink-differences.md": flink_page,
    "reference/tables.md": tables_page,
    "reference/protocols.md": protocols_page,
    "images/late-turn.svg": partial(picture, "LateTurn"),
    "images/nondeterministic.svg": partial(picture, "nondeterministic"),
    "images/nondeterministic-reordered.svg": partial(picture, "nondeterministic", reordered=True),
    "images/no-blocking.svg": partial(picture, "NoBlocking"),
}


if __name__ == "__main__":
    for page, make in PAGES.items():
        (DOCS / page).write_text(make(), encoding="utf-8")
        click.echo(f"docs/{page}")
