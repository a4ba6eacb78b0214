"""Logs that are right, and ways to tamper with one: each makes another run, which no process can have made."""

from __future__ import annotations

import copy

from pyharness.hold.logs.log_events import FORMAT


def events(lines, *kinds, **fields):
    """Return the places of all events of some kinds, with these fields."""
    return [
        (process, at)
        for process, log in lines.items()
        for at, event in enumerate(log)
        if event.get("e") in kinds and all(event.get(name) == value for name, value in fields.items())
    ]


def lost(kind):
    def tamper(lines, random):
        process, at = random.choice(events(lines, kind))
        del lines[process][at]

    return tamper


def lost_receive(lines, random):
    """One that is not its channel's last: else the message may still be there."""
    places = events(lines, "receive")
    last = {str(lines[p][at]["c"]): (p, at) for p, at in places}
    process, at = random.choice([place for place in places if place not in last.values()])
    del lines[process][at]


def twice(kind):
    def tamper(lines, random):
        process, at = random.choice(events(lines, kind))
        lines[process].insert(at, dict(lines[process][at]))

    return tamper


def changed(kind, field, change):
    def tamper(lines, random):
        places = [(p, at) for p, at in events(lines, kind) if lines[p][at].get(field) is not None]
        process, at = random.choice(places)
        lines[process][at][field] = change(lines[process][at][field])

    return tamper


def lost_of_a_channel(lines, random):
    """One recorded message is left out of a channel's state."""
    parts = [
        (lines[p][at], n)
        for p, at in events(lines, "done")
        for n, (_, kept) in enumerate(lines[p][at]["chans"])
        if kept
    ]
    event, n = random.choice(parts)
    event["chans"][n][1].pop()


def added_to_a_channel(lines, random):
    process, at = random.choice([(p, at) for p, at in events(lines, "done") if lines[p][at]["chans"]])
    random.choice(lines[process][at]["chans"])[1].append(1)


def other_recorded(lines, random):
    """What was recorded of a channel is as many messages, of which one is another."""
    kept = [part[1] for p, at in events(lines, "done") for part in lines[p][at]["chans"] if part[1]]
    random.choice(kept)[0] += 1


def swapped_sends(lines, random):
    """Two messages of one channel change places, each with its number."""
    first = random.choice([(p, at) for p, at in events(lines, "send") if lines[p][at]["m"] > 1])
    process, at = first
    channel, number = lines[process][at]["c"], lines[process][at]["m"]
    ((_, other),) = events(lines, "send", c=channel, m=number - 1)
    lines[process][at], lines[process][other] = lines[process][other], lines[process][at]


def early_done(lines, random):
    process, at = random.choice(events(lines, "done"))
    event = lines[process].pop(at)
    ((_, record),) = [(p, n) for p, n in events(lines, "record", id=event["id"]) if p == process]
    lines[process].insert(record, event)


def early_record(lines, random):
    """A process records ahead of the receive before it: with the state that it had only then."""
    places = [
        (process, at)
        for process, at in events(lines, "record")
        if lines[process][at - 1].get("e") in {"send", "receive"} and lines[process][at - 1].get("d") != 0
    ]
    process, at = random.choice(places)
    log = lines[process]
    log[at - 1], log[at] = log[at], log[at - 1]


def late_marker_out(lines, random):
    """A marker goes out behind the next message of its channel."""
    places = []
    for process, at in events(lines, "marker-out"):
        log, channel = lines[process], lines[process][at]["c"]
        later = [n for n in range(at, len(log)) if log[n].get("e") == "send" and log[n]["c"] == channel]
        if later:
            places.append((process, at, later[0]))
    process, at, later = random.choice(places)
    lines[process].insert(later, lines[process].pop(at))


def other_id(lines, random):
    """A marker is accepted as that of a snapshot that nobody takes."""
    process, at = random.choice(events(lines, "marker"))
    lines[process][at]["id"] = "nobody's"


def other_channel(lines, random):
    """A message is received from a channel on which it never was."""
    process, at = random.choice(events(lines, "receive"))
    log = lines[process]
    inputs = sorted({tuple(e["c"]) for e in log if e.get("e") == "receive"} - {tuple(log[at]["c"])})
    log[at]["c"] = list(random.choice(inputs))


def renumbered(lines, random):
    """A message is received that is the next but one."""
    process, at = random.choice(events(lines, "receive"))
    lines[process][at]["m"] += 1


def far_away(lines, random):
    """A receive is there again, many lines before itself."""
    process, at = random.choice([(p, at) for p, at in events(lines, "receive") if lines[p][at]["m"] > 10])
    lines[process].insert(random.randrange(1, at // 2), dict(lines[process][at]))


def other_run(lines, random):
    """A marker is accepted where another one is, of another snapshot of the run."""
    process, at = random.choice(events(lines, "marker"))
    ids = sorted({lines[p][n]["id"] for p, n in events(lines, "record")} - {lines[process][at]["id"]})
    lines[process][at]["id"] = random.choice(ids)


def bare(lines):
    """Leave nothing in a log but who sends, receives, records and accepts what: no contents, no states, no sum."""
    for log in lines.values():
        log[:] = [
            {k: v for k, v in event.items() if k not in {"d", "s", "state", "sum", "chans"}} for event in log
        ]


TAMPERED = {
    "a send is lost": lost("send"),
    "a receive is lost": lost_receive,
    "a record is lost": lost("record"),
    "a marker is lost": lost("marker"),
    "a marker that goes out is lost": lost("marker-out"),
    "a send is there twice": twice("send"),
    "a receive is there twice": twice("receive"),
    "a record is there twice": twice("record"),
    "a marker is there twice": twice("marker"),
    "a marker goes out twice": twice("marker-out"),
    "a done is there twice": twice("done"),
    "a sent amount is another": changed("send", "d", lambda amount: amount + 1),
    "a received amount is another": changed("receive", "d", lambda amount: amount + 1),
    "a state after a send is another": changed("send", "s", lambda state: state + 1),
    "a state after a receive is another": changed("receive", "s", lambda state: state + 1),
    "a recorded state is another": changed("record", "s", lambda state: state + 1),
    "a state that is said to be recorded is another": changed("done", "s", lambda state: state - 1),
    "a recorded message is left out": lost_of_a_channel,
    "a message is added to what is recorded": added_to_a_channel,
    "a recorded message is another": other_recorded,
    "two sends change places": swapped_sends,
    "a done comes before its record": early_done,
    "a message's number is another": renumbered,
    "a record comes before the message ahead of it": early_record,
    "a marker goes out behind a message": late_marker_out,
    "a marker is of a snapshot that nobody takes": other_id,
    "a message is received from another channel": other_channel,
    "a receive is there again, far ahead": far_away,
    "a marker is another snapshot's": other_run,
}


TOKENS = {
    1: [
        {
            "format": FORMAT,
            "process": "A",
            "protocol": "ChandyLamport",
            "channels": "derive",
            "state": 10,
            "sum": 20,
        },
        {"e": "send", "c": ["A", "B"], "d": 3, "s": 7},
        {"e": "record", "id": 1, "s": 7},
        {"e": "marker-out", "c": ["A", "B"], "id": 1},
        {"e": "send", "c": ["A", "B"], "d": 1, "s": 6},
        {"e": "receive", "c": ["B", "A"], "d": 4, "s": 10},
        {"e": "marker", "c": ["B", "A"], "id": 1},
        {"e": "done", "id": 1, "chans": [[["B", "A"], [4]]]},
    ],
    2: [
        {"format": FORMAT, "process": "B", "channels": "derive", "state": 10},
        {"e": "send", "c": ["B", "A"], "d": 4, "s": 6},
        {"e": "receive", "c": ["A", "B"], "d": 3, "s": 9},
        {"e": "marker", "c": ["A", "B"], "id": 1},
        {"e": "record", "id": 1, "s": 9},
        {"e": "marker-out", "c": ["B", "A"], "id": 1},
        {"e": "done", "id": 1, "chans": [[["A", "B"], []]]},
        {"e": "receive", "c": ["A", "B"], "d": 1, "s": 10},
    ],
}


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


def moved(lines, process, at, to):
    lines = copy.deepcopy(lines)
    lines[process].insert(to, lines[process].pop(at))
    return lines


def dropped(lines, process, at):
    lines = copy.deepcopy(lines)
    del lines[process][at]
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
