"""The JSON Schema of a log's lines and the reader take the same lines."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pyharness.base.errors import HarnessError, SpecError
from pyharness.hold.logs.log_events import FORMAT, KINDS
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.validation import validate

SCHEMA = json.loads(files("pyharness.hold.logs").joinpath("log-line.schema.json").read_text(encoding="utf-8"))
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
}


def valid(value, schema):
    """Whether a value is valid: of the words of JSON Schema those that this one uses; another is an error."""
    ok = True
    for word, said in schema.items():
        match word:
            case "$ref":
                ok &= valid(value, SCHEMA["$defs"][said.removeprefix("#/$defs/")])
            case "type":
                ok &= TYPES[said](value)
            case "const":
                ok &= value == said
            case "enum":
                ok &= value in said
            case "anyOf":
                ok &= any(valid(value, one) for one in said)
            case "oneOf":
                ok &= sum(valid(value, one) for one in said) == 1
            case "required":
                ok &= not isinstance(value, dict) or all(name in value for name in said)
            case "properties":
                ok &= not isinstance(value, dict) or all(
                    valid(value[n], s) for n, s in said.items() if n in value
                )
            case "additionalProperties":
                ok &= not isinstance(value, dict) or all(valid(one, said) for one in value.values())
            case "items":
                ok &= not isinstance(value, list) or all(valid(one, said) for one in value)
            case "prefixItems":
                ok &= not isinstance(value, list) or all(map(valid, value, said))
            case "minItems":
                ok &= not isinstance(value, list) or len(value) >= said
            case "maxItems":
                ok &= not isinstance(value, list) or len(value) <= said
            case "minLength":
                ok &= not isinstance(value, str) or len(value) >= said
            case "minimum":
                ok &= type(value) not in (int, float) or value >= said
            case "$schema" | "title" | "description" | "$defs":
                pass
            case _:
                raise AssertionError(f"{word} is not understood")
    return ok


HEADER = {"format": FORMAT, "process": 1, "protocol": "WhiteRed", "channels": [[1, 1]]}


def taken(directory, header, line=None):
    """Whether the reader takes a header, and a line after it."""
    lines = [header] if line is None else [header, line]
    (directory / "p.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    try:
        validate(directory)
    except SpecError:
        return False
    except HarnessError:  # what is missing is no fault of the line
        return True
    return True


names = st.sampled_from([1, "1", 2, "", None, True, 1.5, [], "x"])
channels = st.sampled_from([[1, 1], ["1", 1], [1], [1, 1, 1], "1", None, [None, 1], [True, 1], {}, [[], 1]])
chans = st.sampled_from(
    [[], [[[1, 1], [3]]], [[[1, 1]]], [[1, [3]]], [[[1, 1], 3]], 3, {}, [[[1, 1], [], []]], [[]]]
)
clocks = st.sampled_from(
    [{}, {"1": 1}, {"1": 0}, {"1": -1}, {"1": 1.5}, {"1": True}, {"1": None}, [], 1, "x"]
)


@st.composite
def events(draw):
    event = {"e": draw(st.sampled_from([*KINDS, "fly", "", None, 3, ["send"]]))}
    for field, values in {
        "c": channels,
        "m": st.sampled_from([1, 2, 0, -1, "1", 1.5, True, []]),
        "id": names,
        "inc": st.sampled_from([1, 0, "1", 1.5, True]),
        "chans": chans,
        "vc": clocks,
        "d": st.sampled_from([1, None, {}, "x"]),
        "s": st.sampled_from([1, None, {}, "x"]),
        "other": st.just(1),
    }.items():
        if draw(st.booleans()):
            event[field] = draw(values)
    return event


ON_CHANNEL = [kind for kind, (end, _) in KINDS.items() if end]


@settings(max_examples=400, deadline=None)
@given(event=events())
def test_the_reader_takes_the_events_that_are_valid(event, tmp_path_factory):
    """A line does not know whether its log has channels: then an event has one. A ``done`` is read later."""
    expected = valid(event, SCHEMA)
    if event["e"] == "done" and "chans" in event:
        expected = valid({name: value for name, value in event.items() if name != "chans"}, SCHEMA)
    if event["e"] in ON_CHANNEL:
        assume(not expected or event.get("c") in ([1, 1], ["1", 1], None))  # no other is one of the log
        expected = expected and "c" in event
    assert taken(tmp_path_factory.mktemp("log"), HEADER, event) == expected


@settings(max_examples=300, deadline=None)
@given(
    header=st.fixed_dictionaries(
        {"format": st.sampled_from([FORMAT, FORMAT, "pyharness-log/2", 1]), "process": names},
        optional={
            "channels": st.sampled_from([[], [[1, 1]], "derive", "none", "all", 3, None, [[1]], [1]]),
            "protocol": st.sampled_from([*PROTOCOLS, "Paxos", 3]),
            "sum": st.sampled_from([1, 1.5, "1", True, []]),
            "initiator": st.sampled_from([True, False, 0, "no"]),
            "incarnation": st.sampled_from([1, 0, "1", True, 1.5]),
            "state": st.sampled_from([1, {}, "x"]),
        },
    )
)
def test_the_reader_takes_the_headers_that_are_valid(header, tmp_path_factory):
    directory = tmp_path_factory.mktemp("log")
    assume(header.get("channels") != [[1, 1]] or header["process"] in (1, "1"))  # else its log is missing
    if header.get("protocol") is None and header.get("channels") != "none":
        header["protocol"] = "WhiteRed"  # some header must name one
    assert taken(directory, header) == valid(header, SCHEMA)


@pytest.mark.parametrize("line", [{}, [], 1, "x", None, {"e": "send"}, {"format": FORMAT}])
def test_what_is_neither_a_header_nor_an_event_is_not_valid(line):
    assert not valid(line, SCHEMA)
