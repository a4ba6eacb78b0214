"""Programs that are broken or hostile: each is a finding in words, in bounded time and memory, and nothing is left."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from conftest import alive, left_alive

from pyharness.base.errors import IncompleteError, ProgramError, SilentError, SpecError
from pyharness.base.topology import parse_topologies
from pyharness.hold.programs import HoldPlan, Limits, hold
from pyharness.hold.programs.child_process import ChildProcess
from pyharness.hold.programs.group_keeper import GroupKeeper
from pyharness.hold.programs.team import _normal
from pyharness.hold.programs.wire import NoAnswerError
from tests.long import some

SHORT = Limits(seconds=2.0)
TWO = tuple(parse_topologies(["ring:2"]))

RIGHT = """
import json, os, sys
count = 0
def say(body, dest="c1"):
    print(json.dumps({"src": me, "dest": dest, "body": body}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    body, source = message["body"], message["src"]
    number, kind = body["msg_id"], body["type"]
    count += 1
    BROKEN
    if kind == "init":
        me = body["node_id"]
        say({"type": "init_ok", "in_reply_to": number})
    elif kind == "reset":
        p = dict(body, recorded=None, channels={}, closed=[])
        say({"type": "reset_ok", "in_reply_to": number, "version": 1})
    elif kind == "show":
        complete = p["recorded"] is not None and len(p["closed"]) == len(p["inputs"])
        shows = {name: p[name] for name in ("items", "recorded", "channels")}
        say({"type": "show_ok", "in_reply_to": number, "complete": complete, **shows})
    elif kind == "send":
        p["items"].remove(body["msg"])
        say({"type": "message", "msg": body["msg"]}, body["to"])
    elif kind == "message":
        p["items"].append(body["msg"])
        if p["recorded"] is not None and source not in p["closed"]:
            p["channels"].setdefault(source, []).append(body["msg"])
    elif kind == "initiate" and (not p["initiator"] or p["recorded"] is not None):
        say({"type": "error", "in_reply_to": number, "code": 22}, source)
    else:
        p["closed"] += [source] * (kind == "marker")
        if p["recorded"] is None:
            p["recorded"] = list(p["items"])
            for name in p["outputs"]:
                say({"type": "marker"}, name)
"""
"""A program that is right, but for what stands for BROKEN."""


def broken(script, how="pass"):
    assert "BROKEN" in RIGHT
    return script(RIGHT.replace("BROKEN", how))


def held(command, limits=SHORT, **plan):
    return hold(command, HoldPlan(graphs=TWO, limits=limits, **{"walks": 4, **plan}))


def test_what_is_broken_below_is_right_without_that(script):
    assert held(broken(script))


def test_a_node_library_s_own_acknowledgements_say_nothing(script):
    """Behind an event or ahead of what it sends; one that answers nothing is a message that nobody asked for."""
    kinds = '("send", "message", "marker", "initiate")'
    acknowledged = f"""if kind in {kinds}: say({{"type": kind + "_ok", "in_reply_to": number}}, source)"""
    assert held(broken(script, acknowledged))
    unasked = f'if kind in {kinds}: say({{"type": kind + "_ok"}}, source)'
    assert any(field.startswith("sends to") for field in held(broken(script, unasked)).difference.fields)


# -- what never gets as far as an answer -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["./nowhere", "/etc/passwd", "/", "", "a\0b", "x" * 5000])
def test_what_is_no_program_is_bad_input(name):
    with pytest.raises(SpecError, match="cannot be started"):
        held([name])


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ("exit 3", "ended with exit status 3"),
        ("read line; echo oops >&2; exit 1", "exit status 1"),
        ("exec >&-; sleep 60", "closed its output"),
        ("echo hello; sleep 60", "no JSON: hello"),
        ("printf '\\377\\376\\n'; sleep 60", "no JSON"),
        ("cat /dev/zero", "a line of more than 1,048,576 bytes"),
        ("yes '{}'", "must contain"),
        ('yes \'{"src":"n1","dest":"c1","body":{"type":"hm"}}\'', "more than 10,000 lines"),
        ("cat", "it writes as c1, and plays n1"),
        ('echo \'{"src":"n1","dest":"c1","body":{"type":"init_ok"}}\'; sleep 60', "in_reply_to"),
        (
            'echo \'{"src":"n1","dest":"c1","body":{"type":"init_ok","in_reply_to":7}}\'; sleep 60',
            "one answer to each request",
        ),
        ("echo '{\"a\":NaN}'; sleep 60", "NaN is not a number"),
        ("echo '{\"a\":1e999}'; sleep 60", "a number that is too large"),
        ("printf '{\"a\":'; printf '1%.0s' $(seq 9000); echo '}'; sleep 60", "no JSON"),
    ],
)
def test_what_is_no_answer_is_a_finding(shell, said):
    began = time.monotonic()
    with pytest.raises(ProgramError) as caught:
        held(["/bin/sh", "-c", shell], Limits(seconds=30))
    assert said in str(caught.value)
    assert not isinstance(caught.value, SilentError)
    assert caught.value.exit_code == 1
    assert len(str(caught.value)) < 2000
    assert str(caught.value).isprintable() or "\n" in str(caught.value)
    assert time.monotonic() - began < 25


def test_what_it_says_on_standard_error_is_told_and_cleaned(script):
    with pytest.raises(ProgramError) as caught:
        held(["/bin/sh", "-c", "printf 'the \\033[31mreason\\n' >&2; exit 1"])
    assert "the \\x1b[31mreason" in caught.value.hint


@pytest.mark.parametrize("shell", ["sleep 60", "exec <&-; sleep 60", "yes >&2"])
def test_no_answer_in_time_is_no_verdict(shell):
    with pytest.raises(SilentError, match=r"no answer in 0\.3 s") as caught:
        held(["/bin/sh", "-c", shell], Limits(seconds=0.3))
    assert caught.value.exit_code == 3


# -- what goes wrong in the middle -----------------------------------------------------------------------------


AT_A_MARKER = 'if kind == "marker" and p["recorded"] is None and p["items"]:'


@pytest.mark.parametrize(
    ("how", "field"),
    [
        ("os._exit(5)", "fails"),
        ("os.close(1)", "fails"),
        ("[print('{}', flush=True) for _ in iter(int, 1)]", "fails"),
        ("say({'type': 'error', 'in_reply_to': number, 'code': 22})", "refuses"),
        ("say({'type': 'error', 'in_reply_to': number, 'code': 13, 'text': 'a bug'})", "fails"),
        ("say({'type': 'show_ok', 'in_reply_to': number + 1})", "fails"),
        ("say({'type': 'message', 'msg': 7}, 'n9')", "sends to n9"),
        ("say({'type': 'marker'}, source)", "sends to n1"),
        ("p['items'] = []", "items"),
    ],
)
def test_what_goes_wrong_at_an_event_is_found_with_a_small_way_there(script, how, field):
    found = held(broken(script, f"{AT_A_MARKER} {how}"), items=2).difference
    assert field in found.fields
    assert found.again
    assert len(found.case.steps) <= 3
    assert found.case.last[1].type == "marker"
    assert str(found)


def test_a_program_that_hangs_twice_at_one_event_differs(script):
    found = held(
        broken(script, f"{AT_A_MARKER} import time; time.sleep(60)"), Limits(seconds=0.4), items=2
    ).difference
    assert found.silent
    assert "no answer in 0.4 s" in str(found)


def test_a_program_that_hangs_once_gives_no_verdict(script, tmp_path):
    how = f"""{AT_A_MARKER}
        if not os.path.exists("{tmp_path}/hung"):
            open("{tmp_path}/hung", "x")
            os.system("sleep 60")"""
    with pytest.raises(IncompleteError, match="once, and in time when it was asked again"):
        held(broken(script, how), Limits(seconds=0.5), items=2)


def test_a_program_that_does_something_once_is_not_deterministic(script, tmp_path):
    how = f"""{AT_A_MARKER}
        if not os.path.exists("{tmp_path}/mark"):
            open("{tmp_path}/mark", "x")
            p["items"].clear()"""
    found = held(broken(script, how), items=2).difference
    assert not found.again


SHOWN = """say({"type": "show_ok", "in_reply_to": number, "complete": len(p["closed"]) == len(p["inputs"]),
             **{name: p[name] for name in ("items", "recorded", "channels")}})"""


def test_who_answers_twice_is_found_at_the_next_request(script):
    with pytest.raises(ProgramError, match="one answer to each request"):
        held(broken(script, f'if kind == "show" and p["recorded"] is not None: {SHOWN}'))


def test_what_is_sent_after_an_answer_is_found(script):
    how = f"""if kind == "show" and p["closed"]:
        {SHOWN}
        say({{"type": "marker"}}, p["outputs"][0])
        continue"""
    with pytest.raises(ProgramError, match="after its last answer it sent"):
        held(broken(script, how))


def test_pipes_that_are_full_both_ways_are_no_deadlock():
    """A program that writes as much as it reads, and reads no more until that is gone."""
    with (
        closing(GroupKeeper()) as keeper,
        closing(ChildProcess(["cat"], "n1", Limits(seconds=30), keeper)) as child,
    ):
        lines = [b"%d" % number + b"x" * 100_000 for number in range(100)]
        child.write(b"".join(line + b"\n" for line in lines))
        seen = []
        child.read_until(lambda line: seen.append(line) or line == lines[-1])
    assert seen == lines


def test_long_answers_are_read_and_little_of_them_is_shown(script):
    found = held(broken(script, 'if kind == "marker": p["items"] = list(range(20000))')).difference
    assert "items" in found.fields
    assert len(str(found)) < 3000


def test_a_flood_on_standard_error_is_passed_over(script):
    command = broken(script, 'sys.stderr.write("y" * 100000) if kind == "marker" else None')
    assert held(command, Limits(seconds=30), walks=1)


def test_memory_stays_bounded_whatever_is_written():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for shell in ("cat /dev/zero", "yes '{}'", "yes >&2"):
        with pytest.raises(ProgramError):
            held(["/bin/sh", "-c", shell], Limits(seconds=1))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # kB


# -- nothing is left behind ------------------------------------------------------------------------------------


def test_what_a_program_has_started_is_killed_with_it(script):
    mark = f"left-behind-{os.getpid()}"
    command = [
        "/bin/sh",
        "-c",
        f": {mark}; HELD={mark} sleep 300 & HELD={mark} sleep 300 & exec {' '.join(broken(script))} {mark}",
    ]
    assert held(command, walks=1)
    assert left_alive(mark) == []


def test_what_a_program_has_started_is_killed_when_it_ended_itself(script):
    mark = f"ended-{os.getpid()}"
    with pytest.raises(ProgramError, match="exit status 0"):
        held(["/bin/sh", "-c", f": {mark}; HELD={mark} sleep 300 >/dev/null 2>&1 & exit 0"])
    assert left_alive(mark) == []


def test_an_interrupt_waits_until_the_keeper_knows_of_a_program(monkeypatch):
    kept, start = [], subprocess.Popen

    def interrupted(*args, **options):
        process = start(*args, **options)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        return process

    monkeypatch.setattr("pyharness.hold.programs.child_process.subprocess.Popen", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ChildProcess(["sleep", "300"], "P1", Limits(), SimpleNamespace(keep=kept.append))
        (group,) = kept
        os.killpg(group, signal.SIGKILL)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", some([signal.SIGKILL, signal.SIGINT, signal.SIGTERM], 2))
def test_nothing_is_left_when_pyharness_is_interrupted(script, number, tmp_path):
    mark = f"interrupted-{number}-{os.getpid()}"
    inner = f"HELD={mark} sleep 300 & echo started > {tmp_path}/started; sleep 300"
    code = "import sys; from pyharness.cli.main import main; main()"
    command = [sys.executable, "-c", code, "hold", "--timeout", "200", "--", "/bin/sh", "-c", inner]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)  # then whoever ends it knows of it: SIGKILL in between would leave it
    assert alive(mark)
    process.send_signal(number)
    code = process.wait(30)
    assert code == (-number if number == signal.SIGKILL else 3)
    assert left_alive(mark) == []


def test_a_python_program_finds_the_modules_beside_it(script, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    (tmp_path / "beside.py").write_text("")
    assert held(script("import beside\n" + RIGHT.replace("BROKEN", "pass")), walks=1)


@pytest.mark.parametrize("shows", [None, {}, {"items": 3}, {"items": [], "snapshots": 3}])
def test_what_is_shown_in_another_form_is_no_answer(shows):
    with pytest.raises(NoAnswerError):
        _normal(shows)
