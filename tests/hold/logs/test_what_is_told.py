"""What a log tells is taken as JSON tells it, and what it leaves open is said: no gap is a pass without a word."""

from __future__ import annotations

import copy
import json

import pytest

from pyharness.base.errors import SpecError
from pyharness.hold.logs.fold import moved
from pyharness.hold.logs.log_events import FORMAT
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.validation import validate
from tests.hold.logs.simulated_logs import simulated, write_log

HEADER = {"format": FORMAT, "protocol": "ChandyLamport", "channels": [["A", "B"], ["B", "A"]], "sum": 20}
RIGHT = {
    "A": [
        HEADER | {"process": "A", "state": 10},
        {"e": "send", "c": ["A", "B"], "d": 1, "s": 9},
        {"e": "record", "id": "x", "s": 9},
        {"e": "marker-out", "c": ["A", "B"], "id": "x"},
        {"e": "send", "c": ["A", "B"], "d": 1, "s": 8},
        {"e": "receive", "c": ["B", "A"], "d": 2, "s": 10},
        {"e": "marker", "c": ["B", "A"], "id": "x"},
        {"e": "done", "id": "x", "s": 9, "chans": [[["B", "A"], [2]]]},
    ],
    "B": [
        HEADER | {"process": "B", "state": 10},
        {"e": "send", "c": ["B", "A"], "d": 2, "s": 8},
        {"e": "receive", "c": ["A", "B"], "d": 1, "s": 9},
        {"e": "marker", "c": ["A", "B"], "id": "x"},
        {"e": "record", "id": "x", "s": 9},
        {"e": "marker-out", "c": ["B", "A"], "id": "x"},
        {"e": "done", "id": "x", "s": 9, "chans": [[["A", "B"], []]]},
        {"e": "receive", "c": ["A", "B"], "d": 1, "s": 10},
    ],
}


def log(*changes, without=()):
    """Return the right log with some fields changed, each a process, a line, and what it says; and without fields."""
    lines = {
        process: [{k: v for k, v in e.items() if k not in without} for e in events]
        for process, events in RIGHT.items()
    }
    lines = copy.deepcopy(lines)
    for process, line, fields in changes:
        lines[process][line - 1] |= fields
    return lines


def came_of(tmp_path, lines):
    return validate(write_log(tmp_path / "log", lines))


def test_the_log_is_right(tmp_path):
    came = came_of(tmp_path, RIGHT)
    assert (came.verdict, came.unchecked) == ("pass", [])


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ([("B", 3, {"d": True})], "B.jsonl:3"),
        ([("A", 2, {"d": [1, {"a": 1}]}), ("B", 3, {"d": [True, {"a": 1}]})], "B.jsonl:3"),
        ([("A", 2, {"d": None})], "B.jsonl:3"),
        ([("B", 2, {"d": None}), ("A", 6, {"d": None})], "A.jsonl:8"),
        ([("B", 2, {"d": 1}), ("A", 6, {"d": 1}), ("A", 8, {"chans": [[["B", "A"], [True]]]})], "A.jsonl:8"),
        ([("A", 2, {"s": 1}), ("A", 3, {"s": True})], "A.jsonl:3"),
        ([("A", 2, {"s": None}), ("A", 3, {"s": 9})], "A.jsonl:3"),
    ],
)
def test_true_is_no_number_and_null_is_told(changes, place, tmp_path):
    lines = log(*changes)
    for events in lines.values():
        del events[0]["sum"]
    came = came_of(tmp_path, lines)
    assert came.verdict == "violation"
    assert came.refused.where.endswith(place)


@pytest.mark.parametrize(
    ("without", "said"),
    [
        (("s", "state", "sum"), ["that what is recorded is the state", "what was recorded of states"]),
        (("d", "sum"), ["what is received is what was sent", "what recorded messages carry"]),
        (("chans",), ["the channels' states"]),
    ],
)
def test_what_a_log_leaves_open_is_said(without, said, tmp_path):
    came = came_of(tmp_path, log(without=without))
    assert came.verdict == "pass"
    assert [each for each in said if not any(what.startswith(each) for what in came.unchecked)] == []


def test_a_channel_that_is_recorded_twice_is_no_channel_s_state(tmp_path):
    """Else the last one would count, whatever the first one says."""
    twice = [[["B", "A"], [5, 6]], [["B", "A"], [2]]]
    with pytest.raises(SpecError, match="a channel twice") as told:
        came_of(tmp_path, log(("A", 8, {"chans": twice})))
    assert told.value.where.endswith("A.jsonl:8")


def test_who_ends_owes_no_marker(tmp_path):
    lines = copy.deepcopy(RIGHT)
    lines["A"] += [{"e": "record", "id": "y", "s": 10}, {"e": "end"}]
    came = came_of(tmp_path, lines)
    assert came.refused.where.endswith("A.jsonl:10")
    assert came.refused.snapshot == "y"
    assert came.accepted == ["marker-out of y on A->B", "internal"]
    del lines["A"][-1]  # a log that is cut off there may go on
    assert validate(write_log(tmp_path / "cut-off", lines)).verdict == "pass"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_snapshot_that_lacks_a_done_though_the_log_has_ended_is_no_pass(protocol, tmp_path):
    lines = simulated(protocol, 3).lines
    at, name = [(n, event["id"]) for n, event in enumerate(lines[2]) if event.get("e") == "done"][-1]
    del lines[2][at]
    came = came_of(tmp_path, lines)
    assert (came.verdict, came.vacuous) == ("incomplete", [])
    assert came.reason == f"not completed: 2 is never done with {name}, and its log has ended"
    del lines[2][-1]  # a log that is cut off there may go on
    assert validate(write_log(tmp_path / "cut-off", lines)).verdict == "pass"


def test_logs_that_have_ended_need_no_done_where_there_is_none(tmp_path):
    lines = {process: [*events, {"e": "end"}] for process, events in RIGHT.items()}
    lines = {
        process: [each for each in events if each.get("e") != "done"] for process, events in lines.items()
    }
    came = came_of(tmp_path, lines)
    assert (came.verdict, came.complete) == ("pass", ["x"])


def test_of_itself_a_process_changes_nothing_of_the_sum(tmp_path):
    lines = log()
    lines["A"].append({"e": "internal", "s": 10})
    assert came_of(tmp_path, lines).verdict == "pass"
    lines["A"][-1]["s"] = 11
    came = validate(write_log(tmp_path / "other", lines))
    assert came.refused.message == "A had 10, and has 11 after this"
    assert came.accepted == ["send of message 3 on A->B", "internal"]
    came = validate(write_log(tmp_path / "before", log(("B", 4, {"e": "internal", "s": 1}))))
    assert came.accepted == ["record of x", "marker of x on A->B", "send of message 2 on B->A", "internal"]


def test_sums_of_integers_are_exact_and_others_are_rounded():
    assert moved(0, 0.1 + 0.2, 1, 0.3, str)
    assert not moved(2**60, 1, 1, 2**60, str)


def restored(first, second, header=None):
    events = {
        "A": [{"e": "restore", "inc": first, "s": 10, "chans": []}, *RIGHT["A"][1:]],
        "B": [{"e": "restore", "inc": second, "s": 10}, *RIGHT["B"][1:]],
    }
    said = {} if header is None else {"incarnation": header}
    return {process: [HEADER | said | {"process": process}, *rest] for process, rest in events.items()}


def test_processes_are_restored_to_one_incarnation(tmp_path):
    assert validate(write_log(tmp_path / "right", restored(2, 2, 2))).verdict == "pass"
    for number, (wrong, place) in enumerate(
        [(restored(2, 3), "B.jsonl:2"), (restored(3, 3, 2), "A.jsonl:2"), (restored(2, 3, 2), "B.jsonl:2")]
    ):
        with pytest.raises(SpecError, match="incarnation 2") as told:
            validate(write_log(tmp_path / str(number), wrong))
        assert told.value.where.endswith(place)


def test_what_is_restored_adds_up(tmp_path):
    lines = restored(2, 2)
    lines["B"][1]["s"] = 12
    came = came_of(tmp_path, lines)
    assert came.refused.where.endswith("B.jsonl:2")


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        (("1.6", "1.6"), None),
        (("1.6", "1.7"), "B is restored from snapshot 1.7, and A from 1.6"),
        (("1.6", None), "B is not restored, and A is"),
        ((None, "1.6"), "A is not restored, and B is"),
    ],
)
def test_all_are_restored_from_one_snapshot_or_none_is(ids, why, tmp_path):
    lines = restored(2, 2)
    for process, name in zip("AB", ids, strict=True):
        lines[process][1:2] = [] if name is None else [lines[process][1] | {"id": name}]
    place = write_log(tmp_path / "log", lines)
    came = validate(place)
    assert (came.refused and came.refused.message) == why
    assert why is not None or (came.verdict, came.unchecked) == ("pass", [])


def test_a_restore_that_leaves_something_open_is_not_checked_for_it(tmp_path):
    lines = restored(2, 2)
    del lines["A"][1]["s"]
    unchecked = " ".join(came_of(tmp_path, lines).unchecked)
    assert "from one snapshot: an event restore has no id" in unchecked
    assert "the sum of what the run begins with" in unchecked


def clocked(*, third):
    header = {"format": FORMAT, "channels": "none"}

    def events(process, *said):
        return [header | {"process": process}, *({"e": e, "vc": vc} | more for e, vc, more in said)]

    x, y = {"id": "x"}, {"id": "y"}
    return {
        "A": events(
            "A",
            ("record", {"A": 1}, x),
            ("send", {"A": 2}, {}),
            ("record", {"A": 3}, y),
            ("send", {"A": 4}, {}),
        ),
        "B": events(
            "B",
            ("record", {"B": 1}, x),
            ("receive", {"A": 2, "B": 2}, {}),
            ("receive", {"A": 4, "B": 3}, {}),
            ("record", {"A": 4, "B": 4}, y),
        ),
        "C": events("C", ("record", {"C": 1}, x), *([("record", {"C": 2}, y)] if third else [])),
    }


@pytest.mark.parametrize("third", [True, False])
def test_clocks_refuse_records_at_no_cut_though_not_all_have_recorded(third, tmp_path):
    came = came_of(tmp_path, clocked(third=third))
    assert came.refused.where.endswith("B.jsonl:5")
    assert came.refused.snapshot == "y"


def test_what_clocks_show_of_a_snapshot_is_counted(tmp_path):
    lines = clocked(third=False)
    del lines["A"][3], lines["B"][4]
    came = came_of(tmp_path, lines)
    assert (came.verdict, came.complete, came.behind) == ("pass", ["x"], 1)
    for events in lines.values():
        del events[1]
    came = validate(write_log(tmp_path / "none", lines))
    assert came.vacuous == ["no snapshot is complete"]


def test_clocks_refuse_an_event_that_never_was(tmp_path):
    lines = clocked(third=True)
    lines["A"], lines["C"] = [lines["A"][0], {"e": "internal", "vc": {"A": 1, "C": 1}}], lines["C"][:1]
    lines["B"] = lines["B"][:1]
    came = came_of(tmp_path, lines)
    assert came.refused.message == "A knows of event 1 of C, which has 0"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"e": "record", "id": "x" * 1001}, "id is a name of more than 1,000 characters"),
        ({"e": "record", "id": "a\nb: PASS"}, "id has control characters"),
        ({"e": "record"}, "id is not there"),
        ({"e": "record", "id": 1.5}, "id is a name or an integer, not 1.5"),
        ({"e": "sned"}, "no event 'sned'"),
        (HEADER | {"process": "A"}, "a second header"),
        ("", "an empty line"),
        ('{"e":"internal",}', "not JSON: .*, at character 17"),
    ],
)
def test_what_is_no_event_is_said(line, said, tmp_path):
    lines = copy.deepcopy(RIGHT)
    place = write_log(tmp_path / "log", lines)
    text = line if isinstance(line, str) else json.dumps(line)
    with (place / "pA.jsonl").open("a") as file:
        file.write(f"{text}\n")
    with pytest.raises(SpecError, match=said) as told:
        validate(place)
    assert told.value.where.endswith("pA.jsonl:9")
