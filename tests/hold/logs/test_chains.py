"""The chain of a snapshot as TLC gets it: its steps, each with its channel or process, its number and its line."""

from __future__ import annotations

import pytest

from pyharness.hold.logs import chains
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.run_log import RunLog
from tests.hold.logs.log_cases import TOKENS, log_of, moved, stopping
from tests.hold.logs.simulated_logs import write_log

KINDS = ("send", "get", "internal", "record", "marker", "recorded", "out", "done", "end", "pause", "resume")
SEND, RECORD, DONE = {"e": "send", "c": [2, 1], "d": 7}, {"e": "record", "id": 1}, {"e": "done", "id": 1}
PAUSED = moved(stopping(), 2, 1, 4)
WHITE = log_of(
    "WhiteRed", [[1, 2], [2, 1]],
    [RECORD, DONE | {"chans": [[[2, 1], [7, 5, 9, 5]]]}, *[SEND | {"e": "receive"}] * 3, {"e": "internal"}],
    [SEND, {"e": "send", "c": [2, 1]}, SEND, RECORD, RECORD | {"id": 2}],
)  # fmt: skip
WALKS = [
    (TOKENS | {1: [*TOKENS[1], RECORD]}, """sendAB@0:0 recordA@1:3 recordedA1@1:3 outAB@1:4 sendAB@1:5 sendBA@2:2
        getAB1@2:3 markerAB@2:4 recordedB2@2:5 outBA@2:6 doneB1@2:7 getAB2@2:8 getBA1@1:6 markerBA@1:7 doneA2@1:8 end@1:8
        [{1: []}, {2: [1]}] AB [] True"""),
    ({n: log[:4] for n, log in TOKENS.items()}, """sendAB@0:0 recordA@1:3 recordedA1@1:3 outAB@1:4 sendBA@2:2 getAB1@2:3
        markerAB@2:4 end@2:4 [] A ['B'] False"""),
    (PAUSED, """send12@0:0 pause1@1:3 pause2@2:2 record11@1:4 record21@2:3 recorded11@2:3 recorded2@2:3 resume1@1:6
        send12@1:7 done11@1:5 done22@2:4 get121@2:5 resume2@2:6 end@2:6 [{2: []}, {1: []}] 12 [] True"""),
    (WHITE, """record1@1:2 recorded1@1:2 send21@2:2 send21@2:3 send21@2:4 record2@2:5 recorded23@2:5 done11@1:3 get211@1:4
        get212@1:5 get213@1:6 end@1:6 [{2: [1, 2, 0, 0]}] 12 [] True
        send21@0:0 send21@0:0 send21@0:0 record2@2:6 recorded23@2:6 get211@1:4 get212@1:5 get213@1:6 internal1@1:7 end@1:7
        [] 2 [] False"""),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "walk"), WALKS)
def test_a_chain_has_the_steps_of_its_snapshot_and_is_over_where_these_are_too_many(
    tmp_path, monkeypatch, lines, walk
):
    run, shown = RunLog(write_log(tmp_path / "log", lines)), []
    found, short = (chains.Chains(run, PROTOCOLS[run.protocol]) for _ in range(2))
    for event in run.merged(None):
        for most, each in ((8, found), (7, short)) if lines is PAUSED else ((99, found),):
            monkeypatch.setattr(chains, "MOST_EVENTS", most)
            each.take(event)
    channels = {n: f"{c.source}{c.target}" for c, n in found.channels.items()}
    for chain in found.finish():
        for code, place in zip(chain.steps.codes, chain.steps.places, strict=True):
            of = channels if code % 16 in {0, 1, 4, 6} else {n: p for p, n in found.processes.items()}
            number, line = code // 65536 or "", f"@{place >> 40}:{place % 2**40}"
            shown.append(f"{KINDS[code % 16]}{of.get(code // 16 % 4096, '')}{number}{line}")
        shown += f"{chain.parts} {''.join(chain.recorded)} {chain.perhaps} {chain.settled}".split()
    run.close()
    assert (shown, any(chain.over for chain in found.ended)) == (walk.split(), False)
    assert all(chain.over for chain in short.finish())
