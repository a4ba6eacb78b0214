"""A file of anybody's is read in bounded time and memory, or refused in words; what it says gives no command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain import find_java
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_bytes
from pyharness.base.toolchain.clean_text import clean, cleaned, one_line
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.judge.pinned_lists import read_weakenings
from pyharness.gate.judge.result_cases import Case, Status
from pyharness.gate.plans.claims import read_claims
from pyharness.gate.plans.feature_pairs import read_senseless
from pyharness.gate.plans.plan import read_plan
from pyharness.models.spec_check import premises_of_model
from pyharness.models.witness import PremisesError
from pyharness.mutants.trial import read_survivors
from pyharness.show.report.ci.annotations import annotation_lines
from pyharness.show.report.ci.gate_summary import error_summary
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.show.report.formats.trace_text import to_text
from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.config_file import parse_config, parse_constant
from pyharness.tla.plain_models.plain_model import read_model
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.tlc.digest import Digest, read_progress
from pyharness.tla.tlc.messages import MessageReader
from pyharness.tla.tlc.spec_problems import spec_problems
from pyharness.tla.values import Fn
from tests.hold.flink.unit_tests import unit_tests
from tests.long import some

ROOT = Path(__file__).parents[2]
TRACES = ROOT / "traces"
MOST_MEMORY = 500 << 20
SECONDS = 10

FRAME = ("@!@!@STARTMSG 2110:1 @!@!@\nInvariant I is violated.\n@!@!@ENDMSG 2110 @!@!@\n"
    "@!@!@STARTMSG 2121:1 @!@!@\nThe behavior up to this point is:\n@!@!@ENDMSG 2121 @!@!@\n"
    "@!@!@STARTMSG 2217:4 @!@!@\n1: <Initial predicate>\n/\\ x = {}\n\n@!@!@ENDMSG 2217 @!@!@\n"
    "@!@!@STARTMSG 2186:0 @!@!@\nFinished in 1ms at (2026-01-01 00:00:00)\n@!@!@ENDMSG 2186 @!@!@\n")  # fmt: skip


def itf(**meta):
    """A copy of a trace that says something else of itself."""
    document = json.loads((TRACES / "NoBlocking.itf.json").read_text())
    document["#meta"] |= meta
    return json.dumps(document)


def states(number):
    return json.dumps({"states": [{"x": n} for n in range(number)]})


LARGE = {
    "constants of 2^32": ("trace replay", "f.itf.json", lambda: itf(constants={"Records": 2**32})),
    "constants of 10^8": ("trace replay", "f.itf.json", lambda: itf(constants={"Records": 10**8})),
    "constants below zero": ("trace replay", "f.itf.json", lambda: itf(constants={"Records": -1})),
    "constants that are a text": ("trace replay", "f.itf.json", lambda: itf(constants="text")),
    "constants that are a list": ("trace export", "f.itf.json", lambda: itf(constants=[1])),
    "a million states": ("trace export", "f.itf.json", lambda: states(10**6)),
    "a map of a million": ("trace export", "f.itf.json",
        lambda: json.dumps({"states": [{"x": {"#map": [[n, n] for n in range(10**6)]}}]})),
    "many empty lists": ("trace export", "f.itf.json", lambda: f'{{"states": [{{"x": [{"[]," * 2_500_000}[]]}}]}}'),
    "a string of 15 MB": ("trace export", "f.txt", lambda: FRAME.format('"' + "a" * 15_000_000 + '"')),
    "a string of escapes": ("trace export", "f.txt", lambda: FRAME.format('"' + "\\n" * 5_000_000 + '"')),
    "a string of 900 kB": ("trace export", "f.txt", lambda: FRAME.format('"' + "\\\\" * 450_000 + '"')),
    "a sequence of 7 million": ("trace export", "f.txt", lambda: FRAME.format(f"<<{'1,' * 7_000_000}1>>")),
    "a sequence of 400,000": ("trace export", "f.txt", lambda: FRAME.format(f"<<{'1,' * 400_000}1>>")),
    "a sequence of 40,000": ("trace export", "f.txt", lambda: FRAME.format(f"<<{'1,' * 40_000}1>>")),
    "many intervals": ("trace export", "f.txt", lambda: FRAME.format(f"<<{'1..900000,' * 5_000}1>>")),
    "more than 16 MiB": ("trace export", "f.txt", lambda: FRAME.format("1") * 80_000),
    "a schedule nested deep": ("trace replay", "f.toml", lambda: "a = " + "[" * 3000),
    "a key of 100,000 parts": ("check", "f.toml", lambda: ".".join(["a"] * 100_000) + " = 1"),
    "quoted keys": ("check", "f.toml", lambda: "\n".join(".".join(['"b c"'] * 999) + f".a{n} = 1" for n in range(99))),
    "keys within a table": ("check", "f.toml", lambda: f"x = {{ {'.'.join(['a'] * 5000)} = 1 }}"),
    "keys as a header": ("trace replay", "f.toml", lambda: f"[{'.'.join(['a'] * 5000)}]"),
    "lists 3,000 deep": ("check", "f.toml", lambda: "a = " + "[" * 3000),
    "tables 3,000 deep": ("check", "f.toml", lambda: "a = " + "{a=" * 3000),
    "a number of 10,000 digits": ("check", "f.toml", lambda: f"budget_seconds = {'9' * 10_000}"),
    "a number of 19,000 digits in base 16": ("check", "f.toml",
        lambda: f'format = "pyharness-plan/1"\nbudget_seconds = [0x{"f" * 19_000}]'),
    "such a number in a schedule": ("trace replay", "f.toml", lambda: f"name = [{{ a = 0x{'f' * 19_000} }}]"),
    "a plan of 2 MB": ("check", "f.toml", lambda: "#\n" * (1 << 20)),
    "many short keys": ("check", "f.toml", lambda: "".join(f"a{n} = 1\n" for n in range(80_000))),
    "many headers": ("check", "f.toml", lambda: "".join(f"[{'a.' * 30}b{n}]\n" for n in range(15_000))),
}  # fmt: skip

PROGRAM = """
import json, os, sys, time
from pyharness.cli.main import cli
from pyharness.cli import check_command, trace_commands
for name, words in json.load(sys.stdin).items():
    if not os.fork():  # from a process that has imported what all need
        sys.stdout = open(os.devnull, "w")
        began = time.process_time()
        try:
            cli(words)
        except SystemExit as ended:
            code = ended.code
        # Its own: what a use of resources says begins with that of the process that it was forked from.
        most = int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))) << 10
        print("FIGURES", code, time.process_time() - began, most, name, file=sys.stderr)
        os._exit(0)
    os.wait()
"""


DEARER = {
    *("a map of a million", "a string of 15 MB", "a string of escapes", "many short keys"),
    *("a sequence of 40,000", "a sequence of 400,000"),
}
"""Inputs like another one that take longer."""


@pytest.mark.parametrize("names", some([[name for name in LARGE if name not in DEARER], [*LARGE]], 1))
def test_files_below_the_cap_take_bounded_time_and_memory(names, tmp_path):
    runs = {}
    for number, name in enumerate(names):
        command, file, make = LARGE[name]
        (path := tmp_path / str(number) / file).parent.mkdir()
        path.write_text(make())
        words = {"check": ["--list"], "trace export": ["--to", "itf"], "trace replay": []}[command]
        runs[name] = [*command.split(), str(path), *words]
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM], input=json.dumps(runs), capture_output=True,
        text=True, check=False, timeout=600, errors="replace")  # fmt: skip
    assert "Traceback" not in done.stderr
    reported = [
        line.split(maxsplit=4)[1:] for line in done.stderr.splitlines() if line.startswith("FIGURES ")
    ]
    assert [name for *_, name in reported] == names, done.stderr
    for code, seconds, memory, name in reported:
        assert code in ("0", "1", "2", "3"), name
        # Of the processor, which may be half as fast as the one it was set on.
        assert float(seconds) < 2 * SECONDS, name
        assert int(memory) < MOST_MEMORY, name


@pytest.mark.parametrize("parts", [[1], [], [1, 2, 3]])
@pytest.mark.parametrize("name", ["html", "svg", "text"])
def test_a_channel_need_not_be_a_pair(parts, name):
    """What has one part, none or three is shown as it is."""
    text = (TRACES / "LateTurn.itf.json").read_text()
    document = json.loads(text)
    for state in document["states"]:
        for pair in state["chan"]["#map"][:1]:
            pair[0] = {"#tup": [{"#bigint": str(part)} for part in parts]}
    from pyharness.tla.tlc.itf import from_itf

    assert FORMATS[name](*from_itf(json.dumps(document)))


@pytest.mark.parametrize(
    "spec", ["A" * 300, "../../etc/passwd", "A\x1b[2J", "A\x00", "A\n::error::x", "", "é" * 90]
)
def test_a_name_that_no_module_has_is_an_error_of_the_plan(tmp_path, spec):
    (tmp_path / "p.toml").write_text(
        f'format = "pyharness-plan/1"\n[[model]]\nname = "m"\nspec = {json.dumps(spec)}\ntopologies = ["ring:2"]\n'
    )
    with pytest.raises(SpecError):
        read_plan(tmp_path / "p.toml", SPECS)
    with pytest.raises(SpecError):
        Library(SPECS).path(spec)
    assert spec not in Library(SPECS)


@pytest.mark.parametrize("kind", ["a pipe", "a directory", "a device", "a loop of links", "a name too long"])
@pytest.mark.parametrize("command", ["trace replay", "trace reorder", "trace export", "check"])
def test_what_is_no_file_is_refused_at_once(tmp_path, kind, command):
    path = tmp_path / "f.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a directory":
        path.mkdir()
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    elif kind == "a loop of links":
        path.symlink_to(path)
    else:
        path = tmp_path / ("a" * 300)
    result = CliRunner().invoke(
        cli, [*command.split(), str(path), *(["--to", "text"] if command == "trace export" else [])]
    )
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output


def test_a_trace_can_be_piped(tmp_path):
    code = "from pyharness.cli.main import cli; cli(['trace', 'export', '/dev/stdin', '--to', 'text'])"
    text = (TRACES / "LateTurn.itf.json").read_bytes()
    for given in (text, b"nonsense"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", code], input=given, capture_output=True, check=False
        )
        assert done.returncode == (0 if given is text else 2)
    with (TRACES / "LateTurn.itf.json").open("rb") as file:
        assert read_bytes(Path(f"/proc/self/fd/{file.fileno()}"), MOST_TOML_BYTES) == text


EVIL = (
    "\x1b]0;title\x07\x1b[2J", "a\n::set-output name=a::b", "a\r\n  ::error title=pwned::x", "##[add-mask]x",
    "a\u202eb\u2066c", "\ufffe\uffff", "\ud800", "a\x00b", "a\x85b\u2028c\u2029d", "\u009b2J", "::stop-commands::x",
)  # fmt: skip


def is_harmless(text):
    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufffe\uffff\ud800-\udfff]", text
    )
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert "##[" not in text


@pytest.mark.parametrize("evil", EVIL)
def test_what_is_said_is_harmless(evil):
    is_harmless(cleaned(f"{evil}\n{evil}"))
    is_harmless(cleaned(one_line(evil, 100)))
    assert clean("plain é 漢字 👩\u200d💻\n") == "plain é 漢字 👩\u200d💻\n"


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("place", ["action", "arguments", "title", "variable", "value"])
def test_a_text_of_a_trace_is_harmless(evil, place):
    given = dict.fromkeys(("action", "arguments", "title", "variable", "value"), "x") | {place: evil}
    steps = [
        TraceStep(None, Fn([("v", "1")])),
        TraceStep(given["action"], Fn([("v", given["value"])]), None, given["arguments"]),
    ]
    if place == "variable":
        steps = [TraceStep(None, Fn([(evil, 1)]))]
    trace = Trace(tuple(steps))
    text = to_text(trace, given["title"])
    is_harmless(text)
    svg = FORMATS["svg"](trace, {"title": given["title"]})
    ET.fromstring(svg)  # noqa: S314 - our own
    assert "\x1b" not in svg


@pytest.mark.parametrize("evil", EVIL)
def test_an_error_is_harmless_on_a_terminal_and_in_a_log(tmp_path, evil, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "p.toml").write_text(
        'format = "pyharness-plan/1"\n[[model]]\n' + "".join(
            f"{json.dumps(key)} = {json.dumps(value)}\n"
            for key, value in {"name": "m", "spec": "WhiteRed", "k" + evil.replace("\ud800", ""): 1}.items()
        )
    )  # fmt: skip
    for command in ("check", "check --ci"):
        result = CliRunner().invoke(
            cli, [*command.split(), str(tmp_path / "p.toml"), "--out", str(tmp_path / "out")]
        )
        assert result.exit_code == 2
        is_harmless(result.stderr)
    document = json.loads((TRACES / "LateTurn.itf.json").read_text())
    document["states"][1]["#meta"]["action"] = evil
    (tmp_path / "t.itf.json").write_text(json.dumps(document))
    for command in ("trace replay", "trace reorder"):
        is_harmless(CliRunner().invoke(cli, [*command.split(), str(tmp_path / "t.itf.json")]).stderr)


@pytest.mark.parametrize(
    "evil", [*EVIL, "see https://evil.example/x", "www.evil.example", "WWW.evil.example", "@team"]
)
def test_a_summary_and_an_annotation_are_harmless(evil):
    summary = error_summary("plan", evil)
    assert not re.search(r"[\x1b\u202e\ud800\x07]", summary)
    (line,) = annotation_lines([Case("s", evil, Status.ERROR, (evil,))])
    assert "\n" not in line
    assert "\x1b" not in line
    assert "\u202e" not in line


def test_links_of_a_summary_are_none():
    from pyharness.show.report.ci.gate_summary import _text

    for link in ("https://evil.example", "http://a.b", "www.evil.example", "WwW.evil.example", "ftp://x"):
        shown = _text(f"see {link} now")
        assert "://" not in shown
        assert "www." not in shown.lower()


LISTS = {
    "claims": (read_claims, "pyharness-claims/2", "claim"),
    "a claim's parts": (read_claims, "pyharness-claims/2", "claim = [{ id = 'E1', says = 'a', part = {} }]"),
    "figures": (read_weakenings, "pyharness-weakenings/1", "property"),
    "pairs": (read_senseless, "pyharness-feature-pairs/1", "senseless"),
    "survivors": (lambda path: read_survivors(path, "code"), "pyharness-survivors/1", "code"),
    "unit tests": (unit_tests, "pyharness-flink-cases/1", "case"),
}


@pytest.mark.parametrize("value", ["nan", "'text'", "[1]", "[[]]", "2026-01-01", "[{}, 1]"])
@pytest.mark.parametrize("name", LISTS)
def test_what_are_no_tables_is_an_error_of_the_list(tmp_path, name, value):
    read, file_format, key = LISTS[name]
    text = key.replace("{}", value, 1) if "=" in key else f"{key} = {value}"
    path = tmp_path / "f.toml"
    path.write_text(f"format = {json.dumps(file_format)}\n{text}\n")
    with pytest.raises(SpecError, match=r"^f\.toml.*: .*\btable"):
        read(path)


def module(tmp_path, *lines, name="Large"):
    path = tmp_path / f"{name}.tla"
    path.write_text(
        f"---- MODULE {name} ----\nEXTENDS Naturals\nVARIABLE x\n" + "\n".join(lines) + "\n====\n"
    )
    (tmp_path / f"{name}.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    return path


@pytest.mark.parametrize("first", ["x < 9", "(x > 5) => (x > 4)"])
def test_forty_definitions_that_name_each_other_twice_are_analysed_at_once(tmp_path, first):
    """Behind the last one there are 2^39 uses of the first."""
    definitions = [f"D{n + 1} == D{n} /\\ D{n}" for n in range(39)]
    path = module(tmp_path, "Init == x = 0", "Next == x' = x", f"D0 == {first}", *definitions, "Inv == D39")
    began = time.process_time()
    model = read_model(path)
    if "=>" in first:
        with pytest.raises(PremisesError, match="premises are not looked for in more than 1,000 uses"):
            premises_of_model(model)
    else:
        assert premises_of_model(model) == ()
    assert time.process_time() - began < SECONDS


@pytest.mark.tlc
def test_premises_that_are_not_looked_for_are_said_to_be_so(tmp_path):
    definitions = [f"D{n + 1} == D{n} /\\ D{n}" for n in range(10)]
    lines = [
        "Init == x = 0",
        "Next == x' = (x + 1) % 8",
        "D0 == (x > 5) => (x > 4)",
        *definitions,
        "Inv == D10",
    ]
    found = CliRunner().invoke(cli, ["check", str(module(tmp_path, *lines))])
    assert "note: premises are not looked for in more than 1,000 uses of definitions" in found.output


DIGITS = "9" * 5000


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        (DIGITS, "0", "x"),
        ("2190", DIGITS, "x"),
        ("2190", "0", f"Finished computing initial states: {DIGITS} distinct states generated."),
        ("2194", "0", f"The depth of the complete state graph search is {DIGITS}."),
        ("2186", "0", f"Finished in {DIGITS}ms at (x)"),
        ("2187", "0", f"Running with fp {DIGITS} and seed {DIGITS} with {DIGITS} workers"),
        (
            "2199",
            "0",
            f"{DIGITS} states generated, {DIGITS} distinct states found, {DIGITS} states left on queue.",
        ),
        ("2217", "4", f"{DIGITS}: <Next line 1, col 1 to line 2, col 2 of module M>\n/\\ x = 1"),
        ("1000", "1", f"line {DIGITS}, col {DIGITS} of module M"),
    ],
)
def test_numbers_of_5_000_digits_in_what_tlc_prints_are_no_crash(code, kind, text):
    """A module prints what it likes."""
    line = f"@!@!@STARTMSG {code}:{kind} @!@!@\n{text}\n@!@!@ENDMSG {code} @!@!@"
    digest = Digest()
    for message in MessageReader().read(f"{line}\n".splitlines(keepends=True)):
        with suppress(ToolError):
            digest.add(message)
            read_progress(message)
    spec_problems(line)


@pytest.mark.parametrize(
    "words",
    [
        *(["topologies", given] for given in (DIGITS, f"ring:{DIGITS}", f"1>{DIGITS}", f"1>2@{DIGITS}")),
        ["topologies", "3", "--initiators", DIGITS],
        ["check", "ChandyLamport", "--constant", f"N={DIGITS}"],
        ["check", "ChandyLamport", "--topology", f"ring:{DIGITS}"],
        ["hold", "flink", "--sequence", f"{DIGITS}:a"],
        ["hold", "flink", "--sequence", f"0:barrier {DIGITS}"],
    ],
    ids=lambda words: " ".join(words).replace(DIGITS, "9…"),
)
def test_numbers_of_5_000_digits_in_what_a_user_names_are_refused_in_words(words):
    """A plan has topologies and constants, too."""
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2, done.output
    assert "bug of pyharness" not in done.stderr


@pytest.mark.parametrize("value", ["{" * 5000, "{" * 5000 + "}" * 5000])
def test_sets_within_sets_are_bounded(value, tmp_path):
    with pytest.raises(SpecError, match="sets within sets"):
        parse_config(f"CONSTANT N = {value}", "Large.cfg")
    with pytest.raises(SpecError, match="sets within sets"):
        parse_constant(f"N={value}")


def test_a_configuration_of_comments_is_read_at_once():
    began = time.process_time()
    assert parse_config("(**)\n" * 200_000 + "INIT Init NEXT Next", "Large.cfg").init == "Init"
    assert time.process_time() - began < SECONDS
    with pytest.raises(SpecError) as reported:
        parse_config("\n(* a *)\n\n(* b\n", "Large.cfg")
    assert reported.value.where == "Large.cfg:4"


@pytest.mark.parametrize("suffix", [".tla", ".cfg"])
def test_no_word_of_a_file_behind_a_link_is_shown(suffix, tmp_path):
    path = module(tmp_path, "Init == x = 0", "Next == x' = x", "Inv == x = 0")
    (tmp_path / "token").write_text("ghp_secret\n")
    path.with_suffix(suffix).unlink()
    path.with_suffix(suffix).symlink_to(tmp_path / "token")
    with pytest.raises(SpecError, match=f"a link, and not to a {suffix}") as reported:
        read_model(path)
    assert "ghp" not in str(reported.value)


def nested(tmp_path, formula):
    return module(tmp_path, "Init == x = 0", "Next == x' = x", f"Inv == 0 = {formula}")


def test_parentheses_3_000_deep_are_read(tmp_path):
    assert read_model(nested(tmp_path, "(" * 3000 + "x" + ")" * 3000)).module == "Large"


@pytest.mark.parametrize(
    "formula", some(["(" * 300_000 + "x" + ")" * 300_000, "~" * 3000 + "(x = 1)", "x" + " + 1" * 20_000], 2)
)
def test_a_formula_that_is_nested_too_deep_is_refused_at_its_module(formula, tmp_path):
    with pytest.raises(SpecError, match="Large"):
        read_model(nested(tmp_path, formula))


def test_a_place_for_temporary_files_with_a_colon_is_refused_with_another(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a:b"))
    with pytest.raises(SpecError, match="TMPDIR has :") as reported:
        find_java()
    assert "TMPDIR=/tmp" in reported.value.hint
