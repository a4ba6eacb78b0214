"""Exports for other programs: ShiViz takes the log, Mermaid the diagram, GitHub the summary, hostile names or not."""

from __future__ import annotations

import html
import json
import os
import re
import struct
import subprocess
import sys
import zlib
from functools import cache

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli.main import cli
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.show.report.formats.markdown import to_markdown
from pyharness.show.report.formats.mermaid import _text as mermaid_text
from pyharness.show.report.formats.mermaid import to_mermaid
from pyharness.show.report.formats.png import to_png
from pyharness.show.report.formats.shiviz import to_shiviz
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.events import one_line
from pyharness.tla.tlc import Step, Trace, read_trace
from pyharness.tla.tlc.itf import to_itf
from pyharness.tla.values import Fn, function, record

TRACES = ROOT / "traces"
FILES = sorted(TRACES.glob("*.itf.json"))
every_trace = pytest.mark.parametrize("name", [path.name.partition(".")[0] for path in FILES])
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
    steps = [Step(None, state(queue, number)) for number, queue in enumerate(queues)]
    steps += [Step(name, state((), number), None, name) for number, name in enumerate(HOSTILE)]
    return Trace(tuple(steps), lasso=2), {"title": HOSTILE[2], "violated": HOSTILE[0]}


def long_run(size, **more):
    steps = [
        Step(
            "Send" if number % 2 else "Accept",
            Fn({"chan": function({(1, 2): ("m",) * (number % 2)})}.items()),
        )
        for number in range(size)
    ]
    return Trace(tuple(steps), **more)


# -- ShiViz ----------------------------------------------------------------------------------------------------


class RefusedError(Exception):
    """ShiViz would not take the log."""


def shiviz(text):
    """Read a file as ShiViz does; the entries, as (host, clock, fields).

    Line 1 is the expression, matched from start to end of lines (flags g and m), line 2 the delimiter. Each host's
    times run from 1 by 1; a clock has its own host's time, knows hosts and times that there are, and is the
    largest of the clocks of the entries before it.
    """
    expression, delimiter, log = text.split("\n", 2)
    assert delimiter == ""
    groups = re.findall(r"\(\?<(\w+?)>", expression)
    if not {"host", "clock", "event"} <= set(groups):
        raise RefusedError("necessary named groups")
    pattern = re.compile("^" + re.sub(r"\(\?<(\w+)>", r"(?P<\1>", expression) + "$", re.MULTILINE | re.ASCII)
    entries = [
        (match["host"], json.loads(match["clock"]), match.groupdict())
        for match in pattern.finditer(log.strip())
    ]
    if len(entries) != len(re.split(r"[\n\r\u2028\u2029]", log.strip())):
        raise RefusedError("lines are lost")
    own = {}
    for host, clock, _ in entries:
        if host not in clock:
            raise RefusedError("local host is missing")
        own.setdefault(host, []).append(clock)
    for host, clocks in own.items():
        if [clock[host] for clock in clocks] != list(range(1, len(clocks) + 1)):
            raise RefusedError("times must increase by 1")
    for host, clocks in own.items():
        before = {}
        for clock in clocks:
            expected = before | {host: clock[host]}
            for other, time in clock.items():
                if other not in own or not 1 <= time <= len(own[other]):
                    raise RefusedError("unrecognized host or time")
                if other != host and time > before.get(other, 0):
                    heard = own[other][time - 1]
                    expected |= {h: max(t, expected.get(h, 0)) for h, t in heard.items() if h != host}
            if clock != expected:
                raise RefusedError("impermissible clock")
            before = clock
    return entries


@every_trace
def test_shiviz_takes_every_trace(name):
    trace, meta = read(name)
    entries = shiviz(to_shiviz(trace, meta))
    diagram = diagram_of(trace, meta)
    clocks = {(fields["host"], int(fields["step"])): clock for host, clock, fields in entries}
    names = [lane.name for lane in diagram.lanes]
    assert set(names) == {host for host, _, _ in entries}
    assert len(entries) == len(names) + sum(len(event.lanes) for event in diagram.events)
    for message in diagram.messages:
        if message.accepted is not None:
            sent = clocks[names[message.source], message.sent + 1]
            accepted = clocks[names[message.target], message.accepted + 1]
            assert all(accepted[host] >= time for host, time in sent.items())


def test_events_without_messages_between_them_are_concurrent():
    log = shiviz(to_shiviz(*read("nondeterministic")))
    first, second = (clock for _, clock, fields in log if fields["event"].startswith("send"))
    assert "P2" not in first
    assert "P1" not in second


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(?<clock>", "(?<time>", "necessary"),
        ('P1 {"P1":2}', 'P1 {"P1":3}', "increase by 1"),
        ('P1 {"P1":3}', 'P1 {"P2":3}', "missing"),
        ('{"P1":2,"P2":2}', '{"P1":9,"P2":2}', "unrecognized"),
        ('{"P1":3,"P2":3}', '{"P1":1,"P2":3}', "impermissible"),
    ],
)
def test_shiviz_refuses_what_is_broken(old, new, message):
    log = to_shiviz(*read("LateTurn"))
    assert old in log
    with pytest.raises(RefusedError, match=message):
        shiviz(log.replace(old, new))


def test_shiviz_takes_hostile_names():
    log = to_shiviz(*hostile())
    entries = shiviz(log)
    assert all(re.fullmatch(r"[\w.…-]{1,45}", host) for host, _, _ in entries)
    assert len({host for host, _, _ in entries}) == len(HOSTILE)
    assert max(map(len, log.splitlines())) < 2000
    assert all(line.isprintable() for line in log.splitlines())


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


def test_mermaid_draws_a_lasso_as_a_loop():
    text = to_mermaid(long_run(5, lasso=2))
    assert "    loop back to step 3, for ever\n    Note over L0: 4 send C12 m\n" in text
    read_mermaid(text)


@given(st.text(max_size=300) | st.sampled_from(HOSTILE))
def test_what_mermaid_shows_is_the_text(text):
    written = mermaid_text(text)
    assert re.fullmatch(f"{ESCAPED}*", written)
    shown = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), written)
    assert shown == (one_line(text) or "…")


def test_mermaid_takes_hostile_names():
    read_mermaid(to_mermaid(*hostile()))


# -- Markdown --------------------------------------------------------------------------------------------------


def rows_of(text):
    table = [line for line in text.split("\n") if line.startswith("|")]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in table]


@every_trace
def test_markdown_has_a_row_for_each_step(name):
    trace, meta = read(name)
    text = to_markdown(trace, meta)
    rows = rows_of(text)
    assert all(len(row) == 4 for row in rows)
    assert [row[0].strip() for row in rows[2:] if row[0].strip()] == [str(n + 1) for n in range(len(trace))]
    assert (f"{meta['violated']} is violated" in text) if "violated" in meta else True
    assert text.count("```") == 2
    assert len(text) < 65_536


def test_markdown_shows_what_went_wrong():
    text = to_markdown(*read("LateTurn"))
    assert "**NoRedInWhite is violated at step 5**: accept C12 1 at P2." in text
    assert "| 4 | P2 | ○ | accept marker C12 |" in text
    assert "a red message in a white action" in text


def test_markdown_is_only_text_whatever_the_names():
    text = to_markdown(*hostile())
    prose = text[: text.index("<details>")] if "<details>" in text else text
    assert all(len(row) == 4 for row in rows_of(prose))
    assert not re.search(r"(?<!\\)[<`$]|(?<!\\)\*(?!\*)(?<!\*\*)|@\w|://|www\.", prose), prose
    assert text.count("<details>") == text.count("</details>") <= 1
    assert "<script" not in html.unescape(text[len(prose) :])
    assert "\u202e" not in text
    assert len(text) < 65_536


@pytest.mark.parametrize("write", [to_mermaid, to_markdown])
def test_what_is_left_out_is_said(write):
    text = write(long_run(400))
    assert ("steps 1 to 300 are not drawn" in text) or ("| 1–300 | | | 300 steps, not shown |" in text)
    assert len(text) < 50_000


# -- all -------------------------------------------------------------------------------------------------------


WRITE_ALL = """
import hashlib, pathlib, sys
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.tla.tlc import read_trace
digest = hashlib.sha256()
for path in sys.argv[1:]:
    trace, meta = read_trace(pathlib.Path(path))
    for write in FORMATS.values():
        written = write(trace, meta)
        digest.update(written if isinstance(written, bytes) else written.encode())
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


@pytest.mark.parametrize("write", [to_shiviz, to_mermaid, to_markdown])
def test_a_trace_of_another_tool_is_written_too(write):
    trace = Trace((Step(None, record(x=1)), Step("Grow", record(x=2))))
    assert "grow" in write(trace)
    assert write(Trace(trace.steps[:1]))


@pytest.mark.parametrize("target", sorted(FORMATS))
def test_every_format_goes_to_a_file(target, tmp_path):
    out = tmp_path / "out"
    result = run("trace", "export", TRACES / "LateTurn.itf.json", "--to", target, "--out", out)
    assert (result.exit_code, result.output) == (0, "")
    assert out.read_bytes()


def test_a_picture_needs_a_file():
    result = run("trace", "export", TRACES / "LateTurn.itf.json", "--to", "png")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--out trace.png" in result.stderr


@pytest.mark.parametrize("found", [read("LateTurn"), hostile()], ids=["trace", "hostile"])
def test_a_picture_is_drawn_at_its_scale(found):
    once, twice = to_png(*found, scale=1), to_png(*found)
    assert once.startswith(b"\x89PNG\r\n\x1a\n")
    size, large = (struct.unpack(">II", picture[16:24]) for picture in (once, twice))
    assert size[0] > 200
    assert all(abs(2 * a - b) <= 2 for a, b in zip(size, large, strict=True))
    at = once.index(b"IDAT")
    data = zlib.decompressobj().decompress(once[at + 4 : at + 4 + struct.unpack(">I", once[at - 4 : at])[0]])
    assert data[1:5] == b"\xff" * 4  # the first pixel is the paper, so the style is understood


def test_a_trace_of_a_spec_without_local_states_claims_no_number_of_processes():
    """Nobody knows which of its variables is about whom: that is not a computation of 0 processes."""
    votes = [function({1: "yes", 2: vote}) for vote in ("none", "no")]
    states = [record(topo="n2-6-i1", votes=each) for each in votes]
    trace = Trace((Step(None, states[0]), Step("Vote", states[1])))
    page = FORMATS["html"](trace, {"spec": "TwoPhase"})
    assert "<dt>processes</dt>" not in page
    assert "0 processes" not in page
    assert '<label hidden>Show <select id="process">' in page
    both = FORMATS["html"](*read("LateTurn"))
    assert "Space-time diagram of 2 processes and 5 steps" in both
    assert '<label>Show <select id="process">' in both
