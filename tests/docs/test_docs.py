"""The documentation tells the truth: its examples run, its commands exit as they say, its links lead somewhere."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
from dataclasses import MISSING, fields

import pytest
from click.testing import CliRunner

import pyharness
from pyharness.base import errors
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.base.topology import DATAFLOWS, FAMILIES
from pyharness.base.topology.select import _KEYS as TOPOLOGY_KEYS
from pyharness.cli.main import COMMANDS, DEFAULTS, cli, command_of
from pyharness.gate.plans import plan
from pyharness.gate.plans.plan_modules import ModuleModel
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
    "doctor",
    "explore",
    "hold flink",
    "hold program",
    "hold python",
    "mutate code",
    "mutate property",
    "mutate spec",
    "plan claims",
    "plan mutants",
    "plan pins",
    "plan traces",
    "systems",
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


def command_and_rest(words):
    """The words of the command that is called, the default one of a group included, and what follows them."""
    if words[0] in COMMANDS:
        return words[0], list(words[1:])
    two = " ".join(words[:2])
    return (
        (two, list(words[2:])) if two in COMMANDS else (f"{words[0]} {DEFAULTS[words[0]]}", list(words[1:]))
    )


def is_parsed_only(words, code):
    named, rest = command_and_rest(words)
    of_no_file_here = named in {"states", "plan model"} and rest[0].endswith(".tla")
    of_no_file_here |= named == "trace export" and rest[0].startswith("kept/")
    return (named in PARSED_ONLY or of_no_file_here) and code != 2


def run_marks(words):
    runs_tlc = ("reorder" in words and "--no-tlc" not in words) or "--check" in words
    return [*([pytest.mark.tlc] if runs_tlc else []), *([LONG] if "wander" in words else [])]


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
    named, rest = command_and_rest(words)
    command_of(named).make_context(named, rest, help_option_names=["-h", "--help"])


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


def rows(path, heading):
    """The rows of the first table under a heading, as lists of cells."""
    part = re.split(rf"\n##+ {re.escape(heading)}\n", TEXT[ROOT / path], maxsplit=1)[1]
    part = re.split(r"\n##+ ", part, maxsplit=1)[0]
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
    }
    assert told == keys
    for key in keys - {"format"}:  # each is a key that the reader knows
        assert f'"{key}"' in inspect.getsource(plan)


@pytest.mark.parametrize(("kind", "head"), [(Model, "A model"), (ModuleModel, "A module without graphs")])
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
    told = {
        cells[0].strip("` "): int(cells[1])
        for cells in rows("docs/explanation/what-a-verdict-means.md", "The classes")
    }
    assert told == {
        name: getattr(errors, name).exit_code for name in errors.__all__ if name != "HarnessError"
    }


def test_the_library_page_has_what_the_package_offers():
    told = [
        cells[0].strip("` ").partition("(")[0] for cells in rows("docs/reference/library.md", "What there is")
    ]
    assert sorted(told) == sorted(pyharness.__all__)
