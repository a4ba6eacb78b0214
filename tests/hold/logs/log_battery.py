"""Logs that a fold is tried on: right ones of each protocol, tampered ones, and those that say less."""

from __future__ import annotations

import copy
from pathlib import Path
from random import Random

from pyharness.base.errors import HarnessError
from pyharness.hold.logs.log_events import FORMAT
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.self_test import simulated
from pyharness.hold.logs.validation import validate
from tests.hold.logs.log_cases import TAMPERED, TOKENS, events

SAMPLES = Path(__file__).parent / "samples"


def told(directory, protocol=""):
    """Return all that is said of a log, but for what could have stood at a wrong line."""
    try:
        came = validate(directory, protocol=protocol)
    except HarnessError as error:
        return type(error).__name__, error.message, error.where
    refused = came.refused
    return (
        (came.verdict, came.events, came.crossing, came.behind),
        (came.complete, came.incomplete, came.vacuous, came.unchecked),
        refused and (refused.message, refused.where, refused.rule, refused.snapshot, refused.protocol),
    )


def without(lines, *fields, kinds=()):
    """Return lines without some fields, and without events of some kinds."""
    return {
        process: [
            {name: value for name, value in event.items() if name not in fields}
            for event in log
            if event.get("e") not in kinds
        ]
        for process, log in lines.items()
    }


def changed(lines, process, at, **fields):
    lines = copy.deepcopy(lines)
    lines[process][at] |= fields
    return lines


def moved(lines, process, at, to):
    lines = copy.deepcopy(lines)
    lines[process].insert(to, lines[process].pop(at))
    return lines


def dropped(lines, process, at):
    lines = copy.deepcopy(lines)
    del lines[process][at]
    return lines


def added(lines, process, at, **event):
    lines = copy.deepcopy(lines)
    lines[process].insert(at, event)
    return lines


def log_of(protocol, channels, *events_of, state=5, **header):
    """Return lines by hand: of each process, 1, 2, ... its events."""
    common = {"format": FORMAT, "protocol": protocol, "channels": channels, "state": state, **header}
    return {n: [common | {"process": n}, *log] for n, log in enumerate(events_of, start=1)}


def stopping(*, order=("pause", "record", "done", "resume")):
    """Two processes that stop for a snapshot, after a message has come, and send behind it."""
    says = {
        "pause": {"e": "pause", "id": 1},
        "record": {"e": "record", "id": 1},
        "done": {"e": "done", "id": 1, "chans": []},
        "resume": {"e": "resume", "id": 1},
    }
    both = [dict(says[name]) for name in order]
    return log_of(
        "StopTheWorld",
        [[1, 2], [2, 1]],
        [{"e": "send", "c": [1, 2], "d": 1}, *both, {"e": "send", "c": [1, 2], "d": 2}],
        [{"e": "receive", "c": [1, 2], "d": 1}, *both, {"e": "receive", "c": [1, 2], "d": 2}],
    )


def stopped_logs():
    right = stopping()
    yield right
    yield stopping(order=("pause", "record", "resume", "done"))
    yield stopping(order=("record", "done"))
    yield stopping(order=("pause", "record", "resume", "resume", "done"))
    yield stopping(order=("pause", "record", "done", "resume", "resume"))
    yield stopping(order=("pause", "resume", "record", "done"))
    yield stopping(order=("resume", "record", "done"))
    yield stopping(order=("pause", "pause", "record", "done", "resume"))
    yield stopping(order=("pause", "record", "done", "resume", "pause"))
    yield stopping(order=("pause", "record", "done", "resume", "done"))
    yield stopping(order=("pause", "record", "done", "resume", "record"))
    yield stopping(order=("record", "pause", "done"))
    for at in range(1, 7):
        yield dropped(right, 1, at)
        yield dropped(right, 2, at)
        yield added(right, 1, at, e="internal", s=4)
        yield added(right, 2, at, e="internal", s=4)
        yield moved(right, 1, 1, at)
        yield moved(right, 2, 1, at)
        yield moved(right, 1, 6, at)
        yield moved(right, 2, 6, at)
    yield {process: log[: 4 if process == 1 else 2] for process, log in right.items()}  # cut off
    paused = [{"e": kind, "id": 1} for kind in ("pause", "record", "resume")]
    sent, come = {"e": "send", "c": [2, 1], "d": 1}, {"e": "receive", "c": [2, 1], "d": 1}
    channels = [[1, 2], [2, 1]]
    yield log_of("StopTheWorld", channels, [*paused, come], [sent, *paused])
    yield log_of("StopTheWorld", channels, [come, *paused], [sent, *paused])
    yield log_of("StopTheWorld", channels, paused, [*paused, paused[2]])
    yield log_of("StopTheWorld", channels, paused[:1], paused[2:])
    yield {process: log[: 6 if process == 1 else 3] for process, log in right.items()}


def sum_logs():
    """Logs of numbers that do not add up, are none, or are told in part."""
    right = log_of(
        "WhiteRed",
        [[1, 2]],
        [
            {"e": "internal", "s": 5},
            {"e": "send", "c": [1, 2], "d": 2, "s": 3},
            {"e": "record", "id": 1, "s": 3},
            {"e": "send", "c": [1, 2], "d": 1, "s": 2},
        ],
        [
            {"e": "record", "id": 1, "s": 5},
            {"e": "receive", "c": [1, 2], "d": 2, "s": 7},
            {"e": "receive", "c": [1, 2], "d": 1, "s": 8},
        ],
        sum=10,
    )
    yield right
    for value in (4, 5.5, 5.0, True, "5", None, 2**53, -(2**53), 2**60, 1e300, 5.0000000001, 5.001):
        yield changed(right, 1, 1, s=value)
        yield changed(right, 1, 2, d=value)
        yield changed(right, 2, 3, d=value)
        yield changed(right, 2, 3, s=value)
        yield changed(changed(right, 1, 0, sum=value), 2, 0, sum=value)
        yield changed(right, 1, 0, state=value)
        yield changed(right, 1, 3, s=value)
        yield changed(right, 2, 1, s=value)
    for process, at in ((1, 1), (1, 2), (2, 2), (2, 3), (1, 3)):
        for field in ("s", "d"):
            log = copy.deepcopy(right)
            log[process][at].pop(field, None)
            yield log
    floats = changed(changed(changed(right, 1, 2, d=0.1, s=4.9), 2, 2, d=0.1, s=5.1), 1, 3, s=4.9)
    yield changed(changed(floats, 1, 4, d=0.2, s=4.7), 2, 3, d=0.2, s=5.3)
    for process in (1, 2):
        log = copy.deepcopy(right)
        del log[process][0]["state"]
        yield log
        del log[process][1]["s"]
        yield log


def clock_logs():
    """Logs of vector clocks alone: right, and with each rule broken."""
    header = {"format": FORMAT, "channels": "none"}
    right = {
        1: [
            header | {"process": "a"},
            {"e": "send", "vc": {"a": 1}},
            {"e": "record", "id": 1, "vc": {"a": 2}},
            {"e": "send", "vc": {"a": 3}},
            {"e": "record", "id": 2, "vc": {"a": 4}},
            {"e": "end"},
        ],
        2: [
            header | {"process": "b"},
            {"e": "receive", "vc": {"a": 1, "b": 1}},
            {"e": "record", "id": 1, "vc": {"a": 1, "b": 2}},
            {"e": "receive", "vc": {"a": 3, "b": 3}},
            {"e": "record", "id": 2, "vc": {"a": 3, "b": 4}},
        ],
    }
    yield right
    yield moved(right, 2, 2, 3)
    for process in (1, 2):
        for at in range(1, 5):
            yield dropped(right, process, at)
            yield added(right, process, at, **right[process][at])
            for vc in (
                {},
                {"a": 2, "b": 2},
                {"a": 9, "b": 9},
                {"a": 0, "b": 4},
                {"c": 1},
                {"a": -1},
                {"a": "1"},
                None,
            ):
                yield changed(right, process, at, vc=vc)
    later = copy.deepcopy(right)
    later[2][2]["vc"], later[2][3]["vc"] = {"a": 3, "b": 3}, {"a": 3, "b": 2}
    later[2][2], later[2][3] = later[2][3], later[2][2]
    yield later
    yield {1: right[1], 2: [right[2][0], {"e": "record", "id": 1, "vc": {"b": 1}}]}
    yield changed(right, 2, 4, vc={"a": 9, "b": 4})
    yield changed(right, 2, 4, vc={"a": 4, "b": 4})
    yield changed(right, 2, 4, vc={"a": 5, "b": 4})
    yield added(right, 1, 3, e="record", id=1, vc={"a": 3})
    yield changed(added(right, 1, 5, e="record", id=1, vc={"a": 5}), 1, 4, id=3)
    yield added(right, 2, 5, e="record", id=1, vc={"a": 3, "b": 5})
    yield added(right, 2, 5, e="internal", vc={"a": 4, "b": 5})
    yield added(right, 1, 5, e="internal", vc={"a": 5, "b": 1})
    yield added(right, 1, 5, e="internal", vc={"a": 5, "b": 5})
    yield changed(right, 2, 1, vc={"b": 1})
    yield changed(right, 2, 3, vc={"a": 2, "b": 3})
    quiet = changed(changed(right, 2, 3, vc={"a": 2, "b": 3}), 2, 4, vc={"a": 2, "b": 4})
    yield quiet
    yield {1: quiet[1][:5], 2: quiet[2]}
    yield {1: right[1][:3], 2: right[2][:3]}
    yield changed(right, 2, 2, vc={"b": 2})
    yield changed(changed(right, 2, 3, vc={"a": 9, "b": 3}), 2, 4, vc={"a": 9, "b": 4})
    known = added(right, 2, 5, e="internal", vc={"a": 9, "b": 5})
    yield known
    yield added(known, 2, 6, e="internal", vc={"a": 9, "b": 6})
    yield {1: right[1][:1], 2: [right[2][0], {"e": "internal", "vc": {"a": 1, "b": 1}}]}
    third = [
        right[1][0] | {"process": "c"},
        {"e": "record", "id": 1, "vc": {"c": 1}},
        {"e": "record", "id": 2, "vc": {"c": 2}},
    ]
    yield right | {3: third}
    yield right | {3: third[:2]}
    open_cut = added(changed(right, 2, 4, vc={"a": 5, "b": 4}), 1, 5, e="internal", vc={"a": 5})
    yield open_cut | {3: third[:2]}
    yield quiet | {3: third}
    yield quiet | {3: [*third, {"e": "internal", "vc": {"a": 5, "b": 1, "c": 3}}]}
    yield {1: [right[1][0], {"e": "record", "id": 1, "vc": {"a": 1}}, {"e": "internal", "vc": {"a": 2}}]}


def marked_logs():
    """Markers and barriers of two snapshots at once, written by hand: right, and with a rule broken."""

    def marker(name, *channel):
        return {"e": "marker", "c": list(channel), "id": name}

    def out(name, *channel):
        return {"e": "marker-out", "c": list(channel), "id": name}

    def record(name):
        return {"e": "record", "id": name}

    def log(first, second, **header):
        return log_of("ChandyLamport", [[1, 2], [2, 1]], first, second, **header)

    begins = [record("a"), out("a", 1, 2), record("b"), out("b", 1, 2)]
    ends = [marker("a", 2, 1), marker("b", 2, 1)]
    answers = [marker("a", 1, 2), record("a"), out("a", 2, 1), marker("b", 1, 2), record("b"), out("b", 2, 1)]
    yield log([*begins, *ends], answers)
    yield log([*begins, *ends[::-1]], answers)
    yield log([*begins, *ends], [*answers[3:], *answers[:3]])
    yield log([*begins, *ends], [*answers[:2], marker("b", 1, 2), answers[2], *answers[4:]])
    yield log([*begins, *ends], [marker("a", 1, 2), record("b"), *answers[2:]])
    for name in ("a", "b"):
        yield log([*begins, *ends, record(name)], [*answers, record(name)])
    done = {"e": "done", "id": "a", "chans": [[[1, 2], []], [[2, 1], []]]}
    yield log([*begins, *ends, done], answers)
    yield log([*begins, *ends, done | {"chans": [[[2, 1], []]]}], [*answers, done | {"chans": []}])
    yield log([*begins, *ends], answers, initiator=False)
    yield {
        n: [lines[0] | {"protocol": "WhiteRed"}, *lines[1:]]
        for n, lines in log([*begins, *ends], answers, initiator=False).items()
    }
    passed = [{"e": "send", "c": [1, 2]}, *begins, {"e": "send", "c": [1, 2]}, *ends]
    receipts = [{"e": "receive", "c": [1, 2]}, {"e": "receive", "c": [1, 2]}]
    yield log(passed, [receipts[0], record("a"), receipts[1]])
    dataflow = simulated("AlignedBarriers", 1, steps=100, snapshots=3).lines
    sources = copy.deepcopy(dataflow)
    for event in (*sources[1], *sources[2]):
        event.pop("chans", None)
    yield sources
    loose = simulated("AtLeastOnceBarriers", 1, steps=100, snapshots=3).lines
    yield {n: [lines[0] | {"sum": 4000}, *lines[1:]] for n, lines in loose.items()}
    for seed in range(3):
        yield {
            n: [lines[0] | {"protocol": "AlignedBarriers"}, *lines[1:]]
            for n, lines in simulated("AtLeastOnceBarriers", seed).lines.items()
        }
    for seed in range(2, 5):
        loose = simulated("AtLeastOnceBarriers", seed, steps=100, snapshots=3).lines
        yield {n: [lines[0] | {"sum": 4000}, *lines[1:]] for n, lines in loose.items()}
    blocked = [[1, 3], [2, 3]]
    second = [record("a"), out("a", 2, 3), {"e": "send", "c": [2, 3]}]
    third = [marker("a", 2, 3), {"e": "receive", "c": [2, 3]}]
    yield log_of("AlignedBarriers", blocked, [record("b"), out("b", 1, 3)], second, third)
    barriers = [record("a"), out("a", 1, 3), record("b"), out("b", 1, 3), {"e": "send", "c": [1, 3]}]
    others = [record("a"), out("a", 2, 3), record("b"), out("b", 2, 3)]
    for third in (
        [marker("a", 1, 3), marker("a", 2, 3), record("a"), marker("b", 1, 3), {"e": "receive", "c": [1, 3]}],
        [
            marker("a", 2, 3),
            marker("a", 1, 3),
            record("a"),
            marker("b", 1, 3),
            marker("b", 2, 3),
            record("b"),
        ],
        [
            marker("a", 2, 3),
            marker("b", 2, 3),
            marker("a", 1, 3),
            record("a"),
            marker("b", 1, 3),
            {"e": "receive", "c": [1, 3]},
        ],
    ):
        yield log_of("AlignedBarriers", blocked, barriers, others, third)


def restored_logs():
    """Processes that begin from a snapshot, with messages in their inputs."""
    right = log_of(
        "WhiteRed",
        [[1, 2]],
        [
            {"e": "restore", "inc": 1, "s": 3},
            {"e": "record", "id": 1, "s": 3},
            {"e": "send", "c": [1, 2], "d": 1, "s": 2},
        ],
        [
            {"e": "restore", "inc": 1, "s": 5, "chans": [[[1, 2], [2]]]},
            {"e": "record", "id": 1, "s": 5},
            {"e": "receive", "c": [1, 2], "m": 1, "d": 2, "s": 7},
            {"e": "receive", "c": [1, 2], "m": 2, "d": 1, "s": 8},
        ],
        sum=10,
    )
    yield right
    yield changed(right, 1, 1, s=4)
    yield changed(right, 2, 1, s=4)
    yield changed(right, 2, 1, chans=[[[1, 2], [3]]])
    yield changed(right, 2, 1, chans=[])
    yield changed(right, 2, 1, chans=[[[2, 1], [2]]])
    yield dropped(right, 1, 1)
    yield changed(changed(right, 1, 0, sum=11), 2, 0, sum=11)
    untold = copy.deepcopy(right)
    del untold[1][1]["s"]
    yield untold
    yield changed(changed(untold, 1, 0, sum=11), 2, 0, sum=11)
    twice = copy.deepcopy(right)
    twice[1][0]["protocol"] = twice[2][0]["protocol"] = "AtLeastOnceBarriers"
    twice[1].insert(3, {"e": "barrier-out", "c": [1, 2], "id": 1})
    twice[2][2:] = [twice[2][3], {"e": "barrier", "c": [1, 2], "id": 1}, twice[2][2] | {"s": 7}, twice[2][4]]
    yield twice
    yield changed(changed(twice, 1, 0, sum=11), 2, 0, sum=11)


def told_logs():
    """Logs of which somebody tells ``null``, ``true`` for 1, less than the others, or that nothing follows."""

    def log(carried=1, kept=(1,), states=(1, 1, 1, 1), ends=([], [])):
        return log_of(
            "ChandyLamport",
            [[1, 2], [2, 1]],
            [
                {"e": "internal", "s": states[0]},
                {"e": "record", "id": "a", "s": states[1]},
                {"e": "marker-out", "c": [1, 2], "id": "a"},
                {"e": "receive", "c": [2, 1], "d": carried},
                {"e": "marker", "c": [2, 1], "id": "a"},
                {"e": "done", "id": "a", "s": states[2], "chans": [[[2, 1], list(kept)]]},
                *ends[0],
            ],
            [
                {"e": "send", "c": [2, 1], "d": carried},
                {"e": "marker", "c": [1, 2], "id": "a"},
                {"e": "record", "id": "a", "s": states[3]},
                {"e": "marker-out", "c": [2, 1], "id": "a"},
                {"e": "send", "c": [2, 1], "d": 2},
                {"e": "done", "id": "a", "chans": []},
                *ends[1],
            ],
            state=1,
        )

    right = log()
    yield right
    for value in (True, None, [1, 1], [1, True], {"a": 1, "b": 1}, {"a": 1, "b": True}, 1.0):
        yield changed(right, 1, 4, d=value)
        yield changed(changed(right, 1, 4, d=value), 2, 1, d=value)
        yield log(kept=[value])
        yield log(carried=[1, 1], kept=[value])
        yield log(carried={"a": 1, "b": 1}, kept=[value])
        yield log(carried=value, kept=[value])
        for at in range(4):
            yield log(states=[value if at == n else 1 for n in range(4)])
    for place in ((1, 1), (1, 2), (1, 6), (2, 3)):
        less = copy.deepcopy(right)
        del less[place[0]][place[1]]["s"]
        yield less
        less[1][6].pop("s", None)
        yield less
    for process, at in ((1, 4), (2, 1)):
        less = copy.deepcopy(right)
        del less[process][at]["d"]
        yield less
    less = without(right, "s", "state")
    less[1][6]["s"] = 7
    yield less
    end, again = {"e": "end"}, {"e": "record", "id": "b"}
    yield log(ends=([end], [end]))
    yield log(ends=([again], [again]))
    yield log(ends=([again, end], [end]))
    yield log(ends=([again], [again, end]))
    yield log(ends=([again, {"e": "marker-out", "c": [1, 2], "id": "b"}, end], [end]))
    yield log(ends=([again, {"e": "record", "id": "c"}, end], []))


def made():
    """Yield logs, as lines, with the protocol that they are judged by if it is not their own; the short ones first."""
    for more in (clock_logs(), stopped_logs(), sum_logs(), marked_logs(), restored_logs(), told_logs()):
        for lines in more:
            yield lines, ""
    yield TOKENS, ""
    yield {n: [*log, {"e": "record", "id": 1}] for n, log in TOKENS.items()}, ""
    yield added(TOKENS, 1, len(TOKENS[1]), e="record", id=1), ""
    yield changed(TOKENS, 1, 5, d="x" * 100), ""
    yield changed(TOKENS, 1, 2, s="y" * 77 + "zz"), ""
    yield changed(TOKENS, 1, 2, s="y" * 100), ""
    for at in (4, 6):
        yield (
            {
                n: [{k: v for k, v in e.items() if k != "sum"} for e in log]
                for n, log in changed(TOKENS, 1, at - 2, s="y" * 100).items()
            },
            "",
        )
    for process, at in ((1, 6), (2, 3)):
        yield dropped(TOKENS, process, at), "WhiteRed"
    for tamper in TAMPERED.values():
        for seed in range(2):
            lines = copy.deepcopy(simulated("ChandyLamport", seed).lines)
            tamper(lines, Random(seed))
            yield lines, ""
    for protocol, rules in PROTOCOLS.items():
        for seed in range(2):
            right = simulated(protocol, seed, steps=100, snapshots=3).lines
            yield right, ""
            yield without(right, "m"), ""
            yield without(right, "chans"), ""
            yield without(right, "d", "s", "state", "sum"), ""
            yield without(right, "s", "state"), ""
            yield without(right, kinds=("done",)), ""
            yield right, "WhiteRed"
            yield right, "ChandyLamport"
            yield {p: log[: len(log) * 2 // 3] for p, log in right.items()}, ""
            random = Random(seed)
            for kind in (
                "send",
                "receive",
                "record",
                "marker",
                "marker-out",
                "barrier",
                "barrier-out",
                "done",
                "pause",
                "resume",
            ):
                places = events(right, kind)
                for process, at in random.sample(places, min(2, len(places))):
                    yield dropped(right, process, at), ""
                    yield added(right, process, at, **right[process][at]), ""
                    yield moved(right, process, at, max(1, at - 2)), ""
                    yield moved(right, process, at, at + 3), ""
            if rules.markers:
                yield simulated(protocol, seed, bug="late-marker", steps=120).lines, ""
            if rules.stops:
                yield simulated(protocol, seed, bug="early-resume", steps=120).lines, ""
