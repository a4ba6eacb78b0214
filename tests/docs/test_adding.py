"""What the how-to pages add, added to a copy of the tree: it works, and touches as few files as they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from pyharness.base.toolchain.spec_files import ROOT

PAGE = (ROOT / "docs" / "how-to" / "add-a-protocol.md").read_text(encoding="utf-8")
PROTOCOL, REST = PAGE.split("\n## Add a mutant\n")
OTHERS = REST.split("\n## Add a property, an export format, a command\n")[1]
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    """The code blocks of a page, by what their first line says of the file."""
    found = [m[2] for m in BLOCK.finditer(page) if m[1] == language]
    return {text.split("\n", 1)[0].lstrip("# "): text.split("\n", 1)[1] for text in found}


@pytest.fixture
def tree(tmp_path):
    """A copy of what a protocol is added to."""
    for name in ("pyharness", "specs"):  # with what Python made of the files, which it need not make again
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def touched(tree):
    """The files that differ from ours, or are new."""
    own = {
        path.relative_to(tree)
        for name in ("pyharness", "specs")
        for path in (tree / name).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    return sorted(
        str(path)
        for path in own
        if not (ROOT / path).is_file() or (ROOT / path).read_bytes() != (tree / path).read_bytes()
    )


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new), encoding="utf-8")


def python(tree, *args):
    done = subprocess.run(
        [sys.executable, "-P", *args],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def add_barrier_protocol(tree):
    page = blocks(PROTOCOL, "python")
    spec = next(m[2] for m in BLOCK.finditer(PROTOCOL) if m[1] == "tla")
    (tree / "specs" / "LoggedBarriers.tla").write_text(spec, encoding="utf-8")
    machines = tree / "pyharness" / "machines" / "protocols" / "barriers" / "barrier_protocols.py"
    with machines.open("a", encoding="utf-8") as file:
        file.write("\n\n" + page["pyharness/machines/protocols/barriers/barrier_protocols.py"])
    systems = tree / "pyharness" / "machines" / "systems" / "barrier_systems.py"
    where = "pyharness/machines/systems/barrier_systems.py"
    edit(
        systems,
        "BARRIER_PROTOCOLS = (\n",
        page[f"{where}, before BARRIER_PROTOCOLS"]
        + "\n\nBARRIER_PROTOCOLS = (\n"
        + page[f"{where}, in BARRIER_PROTOCOLS"],
    )
    edit(
        systems,
        "from pyharness.machines.protocols.snapshot_mutants import (",
        page[f"{where}, in imports"] + "from pyharness.machines.protocols.snapshot_mutants import (",
    )
    (plan,) = [m[2] for m in BLOCK.finditer(PROTOCOL) if m[1] == "toml"]
    (tree / PLAN).write_text(plan, encoding="utf-8")


def add_property(tree):
    (text,) = [m[2] for m in BLOCK.finditer(OTHERS) if m[1] == "tla"]
    definition, _, theorem = "\n".join(line.removeprefix("   ") for line in text.splitlines()).partition(
        "THEOREM"
    )
    spec = tree / "specs" / "LoggedBarriers.tla"
    edit(spec, "(* Does p record when", f"{definition}\n(* Does p record when")
    edit(spec, "THEOREM Spec => RefinesWhiteRed", f"THEOREM{theorem}\nTHEOREM Spec => RefinesWhiteRed")
    edit(tree / PLAN, '"TypeOK", ', '"TypeOK", "LogsAfterRecording", ')


def add_format(tree):
    page = blocks(OTHERS, "python")
    name = "pyharness/show/report/formats/actions.py"
    (tree / name).write_text(page[name], encoding="utf-8")
    formats = tree / "pyharness" / "show" / "report" / "formats" / "export_formats.py"
    known = page["pyharness/show/report/formats/export_formats.py, in FORMATS"]
    edit(formats, '    "html": to_html,\n', known + '    "html": to_html,\n')
    edit(
        formats,
        "from pyharness.show.report.formats.trace_text",
        "from pyharness.show.report.formats.actions import to_actions\nfrom pyharness.show.report.formats.trace_text",
    )


PLAN = "logged.toml"
CHECK = f"""
import pyharness
from pyharness.cli.main import cli
asked = "hold python LoggedBarriers --topology join:3 --constant Records=1"
cli(asked.split(), standalone_mode=False)
found = pyharness.check("LoggedBarriers", plan="{PLAN}")
print(found.verdict, found.states, *found.evidence.evaluated)
"""


@pytest.mark.slow
@pytest.mark.tlc
def test_a_barrier_protocol_and_a_property(tree):
    add_barrier_protocol(tree)
    assert len(touched(tree)) == 3  # and a plan of one's own, and claims.toml, for what is to stay
    before = touched(tree)
    add_property(tree)
    assert touched(tree) == before  # files that were touched already: the spec and the plan
    compared, checked = python(tree, "-c", CHECK).splitlines()
    assert "144 states, 272 transitions, 0 mismatches" in compared
    assert checked.startswith("no violation 144 "), checked
    assert "LogsAfterRecording" in checked.split()  # it is looked at


def test_an_export_format(tree):
    add_format(tree)
    assert len(touched(tree)) == 2
    trace = str(ROOT / "traces" / "LateTurn.itf.json")
    written = python(tree, "-m", "pyharness", "trace", "export", trace, "--to", "actions")
    assert written.split() == ["Initiate", "Send", "AcceptMarker", "Accept"]
