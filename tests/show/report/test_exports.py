"""Exports for other programs: Mermaid takes the diagram, hostile names or not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli.main import cli
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.show.report.formats.mermaid import _text as mermaid_text
from pyharness.show.report.formats.mermaid import to_mermaid
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.events import one_line
from pyharness.tla.tlc import Trace, TraceStep, read_trace
from pyharness.tla.tlc.itf import to_itf
from pyharness.tla.values import function, record
from tests.each_case import each_case

TRACES = ROOT / "traces"
FILES = sorted(TRACES.glob("*.itf.json"))
every_trace = each_case("name", [path.name.partition(".")[0] for path in FILES])
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'`|;#35;%%{init: {}}%%",
    "```\n</details> @everyone #1 https://example.com www.example.com",
    "\u202egnp.exe\u202c אבג \x1b[2J \u2028",
    "{}[]() end loop\\",
    "x" * 5000,
    "$a$ *b* _c_ ~d~",
]


@cache
def read(name):
    return read_trace(TRACES / f"{name}.itf.json")


def run(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def hostile():
    """A trace whose processes, messages, action and property have names that want to be more than names."""
    first, second = HOSTILE[0], HOSTILE[1]

    def state(queue, number):
        return record(
            chan=function({(first, second): queue, (second, first): ()}),
            state=function({first: HOSTILE[5], second: HOSTILE[3]} | dict.fromkeys(HOSTILE[2:], number)),
        )

    messages = tuple(record(msg=name) for name in HOSTILE)
    queues = [messages[:0], messages, messages[1:], messages[2:]]
    steps = [TraceStep(None, state(queue, number)) for number, queue in enumerate(queues)]
    steps += [TraceStep(name, state((), number), None, name) for number, name in enumerate(HOSTILE)]
    return Trace(tuple(steps), lasso=2), {"title": HOSTILE[2], "violated": HOSTILE[0]}


# -- Mermaid ---------------------------------------------------------------------------------------------------

ESCAPED = r"(?:[^\W_]|[ _\-.,()=+*/'○●→…]|#\d+;)"
MERMAID = re.compile(
    rf"sequenceDiagram|    participant L\d+ as {ESCAPED}+|    end|    loop {ESCAPED}+"
    rf"|    Note over L\d+(?:,L\d+)?: {ESCAPED}+(?:<br/>{ESCAPED}+)*"
    rf"|    L\d+(?:-|--)(?:\)|x)L\d+: {ESCAPED}+"
)


def read_mermaid(text):
    """Hold a diagram against the few rules that ours need; its arrows."""
    lines = text.removesuffix("\n").split("\n")
    for line in lines:
        assert MERMAID.fullmatch(line), line
    declared = set(re.findall(r"participant (L\d+) as", text))
    assert set(re.findall(r"\bL\d+\b", re.sub(r": .*| as .*", "", text))) <= declared
    opened = 0
    for line in lines:
        opened += line.startswith("    loop ")
        opened -= line == "    end"
        assert opened in (0, 1)
    assert opened == 0
    assert len(text) < 50_000
    return re.findall(r"    (L\d+)(--?)([)x])(L\d+): ", text)


@every_trace
def test_mermaid_draws_every_trace(name):
    trace, meta = read(name)
    diagram = diagram_of(trace, meta)
    arrows = read_mermaid(to_mermaid(trace, meta))
    ended = [message for message in diagram.messages if message.end is not None]
    assert len(arrows) == len(ended)
    assert sum(dashes == "--" for _, dashes, _, _ in arrows) == sum(message.is_control for message in ended)


@given(st.text(max_size=300) | st.sampled_from(HOSTILE))
def test_what_mermaid_shows_is_the_text(text):
    written = mermaid_text(text)
    assert re.fullmatch(f"{ESCAPED}*", written)
    shown = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), written)
    assert shown == (one_line(text) or "…")


def test_mermaid_takes_hostile_names():
    read_mermaid(to_mermaid(*hostile()))


# -- all -------------------------------------------------------------------------------------------------------


WRITE_ALL = """
import hashlib, pathlib, sys
from pyharness.show.report.formats.export_formats import FORMATS
from tests.each_case import each_case
from pyharness.tla.tlc import read_trace
digest = hashlib.sha256()
for path in sys.argv[1:]:
    trace, meta = read_trace(pathlib.Path(path))
    for write in FORMATS.values():
        digest.update(write(trace, meta).encode())
print(digest.hexdigest())
"""


def test_the_same_trace_gives_the_same_bytes(tmp_path):
    odd = tmp_path / "hostile.itf.json"
    odd.write_text(to_itf(*hostile()), encoding="utf-8")
    paths = [odd, *(TRACES / f"{name}.itf.json" for name in ("LateTurn", "kuper", "CommitEarly"))]
    digests = {
        subprocess.run(
            [sys.executable, "-c", WRITE_ALL, *map(str, paths)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("target", sorted(FORMATS))
def test_every_format_goes_to_a_file(target, tmp_path):
    out = tmp_path / "out"
    result = run("trace", "export", TRACES / "LateTurn.itf.json", "--to", target, "--out", out)
    assert (result.exit_code, result.output) == (0, "")
    assert out.read_bytes()
