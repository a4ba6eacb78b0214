"""What is measured of a run: when messages are due, and figures of what was noted; each protocol once over sockets."""

from __future__ import annotations

import pytest

from pyharness.lab.runtime.snapshot_cost import Noted
from pyharness.lab.runtime.system_run import RunSetting, run_system
from pyharness.lab.runtime.vertex import Pace, Start
from pyharness.lab.runtime.vertex_process import vertex_of


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_messages_are_due_one_after_the_other_however_late_they_begin():
    clock = Clock()
    pace = Pace(10, measured=True, clock=clock)
    clock.now += 7
    pace.start()
    assert (pace.is_due(), pace.waits) == (True, 0)
    pace.begins(1, 1)
    assert (pace.is_due(), pace.waits) == (False, pytest.approx(0.1))
    clock.now += 1.05
    began = 1
    while pace.is_due():
        pace.begins(1, began + 1)
        began += 1
    assert began == 11
    assert [when for *_, when in pace.begun] == pytest.approx([107 + n / 10 for n in range(11)])


def test_without_a_rate_all_is_due_and_nothing_waits():
    pace = Pace(0)
    pace.begins(1)
    pace.sends()
    pace.ends(1)
    assert (pace.is_due(), pace.waits, pace.noted()) == (True, None, {})


def test_figures_are_those_of_what_was_noted():
    noted = Noted(started=9.0, begun=10.0, ended=12.0)
    noted.asked = {"1": 10.5, "2": 11.0, "never complete": 11.5}
    noted.complete = {"1": 10.6, "2": 11.3}
    noted.recorded = [(4, 10), (0, 0)]
    sent = [10.0 + n / 1000 for n in range(1, 1000)] + [11.5]
    begun = [[1, 2, n, 10.0] for n in range(1, 101)] + [[1, 2, 200, 11.0]]
    first = {"begun": begun, "ended": [], "sent": sent}
    second = {"begun": [], "ended": [[1, 2, n, 10.0 + n / 1000] for n in range(1, 101)], "sent": []}
    found = noted.measurement(0.5, [first, second])
    assert (found.seconds, found.messages, found.snapshots) == (2.0, 100, 2)
    assert found.cpu_us == 5000
    assert found.latency_ms == pytest.approx(50.5)
    assert found.latency_p99_ms == pytest.approx(99.0, abs=0.1)
    assert found.silent == pytest.approx((0.501 + 0.5) / 2, abs=1e-3)
    assert found.snapshot_ms == pytest.approx(200)
    assert (found.recorded, found.recorded_bytes, found.start_ms) == (2, 5, 1000)


def test_of_a_run_in_which_nothing_came_there_are_figures():
    found = Noted(begun=1.0, ended=2.0).measurement(0.1, [{"begun": [], "ended": [], "sent": []}])
    assert (found.messages, found.latency_ms, found.snapshots, found.silent) == (0, 0, 0, 1)


def test_an_operator_begins_nothing_and_waits_for_no_time():
    operator = vertex_of(Start(2, "pipeline:3", "AlignedBarriers", 1, 4, rate=10))
    source = vertex_of(Start(1, "pipeline:3", "AlignedBarriers", 1, 4, rate=10))
    assert operator.pace.waits is None
    assert source.pace.waits is not None


@pytest.mark.parametrize("protocol", ["ChandyLamport", "AlignedBarriers"])
def test_skew_sends_its_share_to_the_first_output(protocol):
    graph = "clique:4" if protocol == "ChandyLamport" else "diamond:4"
    vertex = vertex_of(Start(1, graph, protocol, 1, 1000, skew=0.75))
    for _ in range(900):
        vertex.turn()
    assert 0.7 < vertex.sent[0] / sum(vertex.sent) < 0.95


@pytest.mark.parametrize(
    ("protocol", "graph", "pauses"),
    [
        ("ChandyLamport", "ring:3", False),
        ("StopTheWorld", "ring:3", True),
        ("UnalignedBarriers", "diamond:4", False),
    ],
)
def test_a_run_at_a_rate_is_measured(protocol, graph, pauses, tmp_path):
    setting = RunSetting(
        graph, protocol, seconds=1, delay=0, every=50, window=100, rate=100, logs=False, measured=True
    )
    came = run_system(setting, tmp_path / "run")
    found = came.measurement
    begins = 1 if graph.startswith("diamond") else 3
    assert 0.5 * 100 * begins < found.messages <= 1.1 * 100 * begins * found.seconds + begins
    assert found.snapshots == len(came.snapshots) > 0
    assert 0 < found.latency_ms <= found.latency_p99_ms
    assert min(found.cpu_us, found.snapshot_ms, found.start_ms) > 0
    assert not pauses or found.recorded == 0, "the channels are empty when all have paused"


def test_without_snapshots_there_are_none(tmp_path):
    came = run_system(RunSetting(seconds=0.3, every=0, logs=False, measured=True), tmp_path / "run")
    assert (came.snapshots, came.measurement.snapshots) == ([], 0)
