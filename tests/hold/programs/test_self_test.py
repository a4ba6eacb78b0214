"""The self-test: each thing that it asks for, missing once."""

from __future__ import annotations

import pytest
from test_broken_programs import broken

from pyharness.base.errors import ProgramError
from pyharness.hold.programs import OPERATOR, HoldPlan, hold


def passed(command, **plan):
    return hold(command, HoldPlan(**plan), test_only=True).tested


def test_what_is_right_is_told(script):
    assert passed(broken(script)) == (
        "version 1",
        "it keeps its state",
        "lines of any length and in any pieces",
        "a reset is a reset",
        "deterministic",
    )


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ('if kind == "reset": say({"type": "reset_ok", "in_reply_to": number, "version": 2}); continue',
            "speaks version 2"),
        (
            """if kind == "reset" and body["version"] != 1:
        say({"type": "reset_ok", "in_reply_to": number, "version": body["version"]}); continue""",
            "it claims to speak version 999",
        ),
        ("if len(line) > 65536: os._exit(1)", "exit status 1"),
        ('if kind == "show": p["channels"] = {"n2": [count // 30]}', "after a reset"),
        ('if kind == "initiate" and count > 31: p["initiator"] = False', "after a reset"),
        ('if kind == "send": say({"type": "note", "number": os.getpid()}, "n2")', "in another process"),
        ("body['extra'] = 1; say({'type': 'error', 'in_reply_to': number, 'code': 10})", "error"),
    ],
)  # fmt: skip
def test_what_is_not_as_it_must_be_is_told_before_any_verdict(how, said, script):
    with pytest.raises(ProgramError) as caught:
        passed(broken(script, how))
    assert said in str(caught.value)


def test_an_operator_is_tested_as_one(in_process):
    assert "deterministic" in passed(["--stateful"], protocol=OPERATOR)
