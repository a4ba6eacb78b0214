"""The documentation tells the truth: its examples run, its commands exit as they say, its links lead somewhere."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
from dataclasses import MISSING, fields
from importlib import import_module

import pytest
import reference_pages
from click.testing import CliRunner

import pyharness
from pyharness.base import errors
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.base.topology import DATAFLOWS, FAMILIES
from pyharness.base.topology.select import _KEYS as TOPOLOGY_KEYS
from pyharness.cli import COMMANDS, cli
from pyharness.cli.doctor_command import doctor
from pyharness.gate.plans import plan
from pyharness.gate.plans.plan_specs import SpecSource
from pyharness.machines.systems import APPLICATIONS
from pyharness.models.model import Model
from tests.long import LONG

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = {path: path.read_text(encoding="utf-8") for path in PAGES}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
TLC = "<!-- examples: tlc -->"
"""Stands in a page whose Python examples run TLC."""

PARSED_ONLY = {
    "check",
    "claims",
    "conform",
    "doctor",
    "explore",
    "flink",
    "gate",
    "hold",
    "mutants",
    "mutate",
    "mutation",
    "pins",
    "specs",
    "systems",
    "traces",
    "weaken",
}
"""Commands that take too long, or depend on the machine: their options are checked, and they are not run."""


def name(path):
    return str(path.relative_to(ROOT))


def need_tlc(path):
    return [pytest.mark.tlc] if TLC in TEXT[path] else []


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory that looks like a clone, and may be written to."""
    for part in ("traces", "specs", "docs", "LICENSE"):
        (tmp_path / part).symlink_to(ROOT / part)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- examples --------------------------------------------------------------------------------------------------

PROMPTS = [path for path in PAGES if ">>> " in TEXT[path]]


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=name(path), marks=need_tlc(path)) for path in PROMPTS]
)
def test_what_a_page_shows_at_a_python_prompt_is_what_one_gets(path, here):
    found = doctest.testfile(str(path), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed


def test_python_that_is_shown_is_run():
    """A block of Python without a prompt would be run by nobody; a file's content says which file it is."""
    for path, text in TEXT.items():
        for language, body in FENCE.findall(text):
            if language == "python":
                assert re.match(r">>> |# [\w/]+\.py(, (before|in) \w+)?\n", body), (
                    f"{name(path)}: {body[:60]}"
                )


def consoles():
    """Each command of a console block with the exit code it states, and the output that is shown under it."""
    for path, text in TEXT.items():
        for language, body in FENCE.findall(text):
            if language == "console":
                assert body.startswith("$ "), f"{name(path)}: {body[:60]}"
                for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                    line, _, output = part.partition("\n")
                    command, _, comment = line.partition(" # ")
                    said = re.search(r"exits with (\d)", comment)
                    yield path, command.strip(), int(said[1]) if said else 0, output


def arguments(command):
    """The arguments of a call of pyharness, or None for another program."""
    words = shlex.split(command)
    return words[1:] if words[0] in {"pyharness", ".venv/bin/pyharness"} else None


OURS = [(path, arguments(c), *rest) for path, c, *rest in consoles() if arguments(c) is not None]


def is_parsed_only(words, code):
    of_no_file_here = words[0] in {"states", "model"} and words[1].endswith(".tla")
    of_no_file_here |= words[0] == "export" and words[1].startswith("kept/")
    return (words[0] in PARSED_ONLY or of_no_file_here) and code != 2


def run_marks(words):
    runs_tlc = (words[0] == "reorder" and "--no-tlc" not in words) or "--check" in words
    return [*([pytest.mark.tlc] if runs_tlc else []), *([LONG] if words[0] == "wander" else [])]


@pytest.mark.parametrize(
    ("path", "words", "code", "output"),
    [
        pytest.param(*case, id=f"{name(case[0])}: {shlex.join(case[1])}", marks=run_marks(case[1]))
        for case in OURS
        if not is_parsed_only(case[1], case[2])
    ],
)
def test_a_command_exits_and_prints_as_the_page_says(path, words, code, output, here):
    if words[0] == "prove":
        pytest.importorskip("cvc5")
        pytest.importorskip("z3")
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == code, result.output
    if output.strip():
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(output, result.output, flags), result.output


@pytest.mark.parametrize(
    "words", [pytest.param(w, id=shlex.join(w)) for _, w, code, _ in OURS if is_parsed_only(w, code)]
)
def test_a_command_that_is_not_run_has_the_options_that_the_page_gives_it(words):
    command = getattr(import_module(COMMANDS[words[0]]), words[0])
    command.make_context(words[0], list(words[1:]), help_option_names=["-h", "--help"])


def test_every_other_command_is_known():
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for path, command, _, _ in consoles():
        if arguments(command) is None:
            words = shlex.split(command)
            known = (words[0] == "make" and set(words[1:2]) <= set(targets)) or words[0] in {
                "git",
                "pip",
                "cat",
            }
            assert known, f"{name(path)}: {command}"


# -- links -----------------------------------------------------------------------------------------------------


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower().strip()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(path):
    bare = CODE.sub(
        lambda found: "" if found[0].startswith("```") else found[0], path.read_text(encoding="utf-8")
    )
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", bare, re.MULTILINE)}


def broken_links(path, text):
    """The relative links and pictures of a page's text that lead nowhere, or to no heading."""
    for link in LINK.findall(CODE.sub("", text)):
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        if not link.startswith(("https://", "mailto:")) and (
            not target.exists() or (anchor and anchor not in anchors(target))
        ):
            yield link


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_relative_link_and_picture_is_there(path):
    assert not list(broken_links(path, TEXT[path]))


@pytest.mark.parametrize("link", ["nowhere.md", "../nowhere.svg", "#no-heading", "../LICENSE#no-heading"])
def test_a_link_that_leads_nowhere_is_found(link):
    text = f"[a](README.md) [b]({link}) `[c](in-code.md)`"
    assert list(broken_links(ROOT / "docs" / "README.md", text)) == [link]


def test_every_page_is_in_the_index():
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(TEXT[index])}
    assert {path for path in PAGES if path.is_relative_to(ROOT / "docs")} - {index} <= linked


# -- reference -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", reference_pages.PAGES)
def test_a_page_made_from_the_code_is_current(page):
    committed = (reference_pages.DOCS / page).read_text(encoding="utf-8")
    assert committed == reference_pages.PAGES[page](), "run `make docs` and commit what changed"


def test_the_page_of_the_command_line_is_the_same_after_a_command_was_called_by_itself():
    """Not as part of the group: click then makes a ``--help`` without ``-h``, and keeps it."""
    CliRunner().invoke(doctor, ["--help"])
    committed = (reference_pages.DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert reference_pages.PAGES["reference/cli.md"]() == committed


def rows(path, heading):
    """The rows of the first table under a heading, as lists of cells."""
    part = TEXT[ROOT / path].split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in part.splitlines()
        if line[:1] == "|"
    ]
    return found[2:]


def as_toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def test_the_plan_file_page_has_every_key_of_a_plan():
    told = {cells[0].strip("`[] ") for cells in rows("docs/reference/plan-file.md", "The plan")}
    keys = {
        "format",
        "examples",
        "claims",
        "budget_seconds",
        "minimums",
        "properties",
        "model",
        "matrix",
        "logs",
        "spec",
    }
    assert told == keys
    for key in keys:  # each is a key that the reader knows
        assert f'"{key}"' in inspect.getsource(plan)


@pytest.mark.parametrize(("kind", "head"), [(Model, "A model"), (SpecSource, "A spec without graphs")])
def test_the_plan_file_page_has_every_key_with_its_default(kind, head):
    told = {cells[0].strip("` "): cells[1].strip("` ") for cells in rows("docs/reference/plan-file.md", head)}
    assert list(told) == [field.name for field in fields(kind) if field.name != "stated"]
    for field in (each for each in fields(kind) if each.name != "stated"):
        if field.default is MISSING and field.default_factory is MISSING:
            assert told[field.name] == "required"
        elif isinstance(field.default, bool | int | str):
            assert told[field.name] == as_toml(field.default)


def test_the_plan_file_page_has_every_key_of_topologies_and_every_constant():
    text = TEXT[ROOT / "docs/reference/plan-file.md"]
    words = {*TOPOLOGY_KEYS, *FAMILIES, *DATAFLOWS}
    assert {word for word in words if f"`{word}`" not in text and f'`"{word}"`' not in text} == set()
    told = {
        tuple(cell.strip("` ") for cell in cells[:3])
        for cells in rows("docs/reference/plan-file.md", "Constants")
    }
    assert told == {
        (app, key, str(value)) for app, own in APPLICATIONS.items() for key, value in own.constants.items()
    }


def test_the_errors_page_has_the_tree_with_its_exit_codes():
    told = {cells[0].strip("` "): int(cells[1]) for cells in rows("docs/reference/errors.md", "The classes")}
    assert told == {
        name: getattr(errors, name).exit_code for name in errors.__all__ if name != "HarnessError"
    }


def test_the_library_page_has_what_the_package_offers():
    told = [
        cells[0].strip("` ").partition("(")[0] for cells in rows("docs/reference/library.md", "What there is")
    ]
    assert sorted(told) == sorted(pyharness.__all__)
