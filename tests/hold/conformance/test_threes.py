"""Defects that need three of something, or two features at once: models of the plans see them, and random walks do.

Each is put into the implementation that runs; the quick plan once saw none of them.
"""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import SPECS, module_directories
from pyharness.hold.conformance.comparison import conform_model
from pyharness.machines.protocols import Operator
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import CheckpointCoordinator
from pyharness.machines.protocols.collecting.collection import Reporter
from pyharness.machines.protocols.common.process import Process
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport
from pyharness.models.machine_tools import find_tools
from pyharness.tla.modules.library import Library
from tests.long import some
from tests.shipped_plans import shipped_plan

pytestmark = [pytest.mark.tlc, pytest.mark.slow, pytest.mark.usefixtures("shared_tlc")]

LIBRARY = Library(*module_directories(SPECS))


def third_output_dropped(original):
    def exchanges(self, state, taken, sending):
        for app, bodies in original(self, state, taken, sending):
            yield app, dict(sorted(bodies.items())[:2])

    return Process, "exchanges", exchanges


def third_input_not_folded(original):
    def exchanges(self, state, taken, sending):
        yield from original(self, state, dict(sorted(taken.items())[:2]), sending)

    return Process, "exchanges", exchanges


def third_message_in_front(original):
    def took(self, state, action, taken):
        after = original(self, state, action, taken)
        turned = tuple((*new[2:], *new[:2]) if len(new) == 3 else new for new in after.rec_chan)
        return after._replace(rec_chan=turned) if after.rec_chan != state.rec_chan else after

    return ChandyLamport, "take", took


def third_crash_forgets(original):
    def restored_from(self, state, process):
        return 0 if state.crashes == 2 else original(self, state, process)

    return CheckpointCoordinator, "restored_from", restored_from


def no_switch_behind_an_end(original):
    def time_out(self, state):
        return None if state.finished and state.pending and state.pending[0].id > 1 else original(self, state)

    return Operator, "time_out", time_out


def second_input_not_reported(original):
    def report_of(self, state):
        report = original(self, state)
        kept = tuple((c, msgs if n != 1 else ()) for n, (c, msgs) in enumerate(report.channels))
        return report._replace(channels=kept)

    return Reporter, "report_of", report_of


DEFECTS = [
    (third_input_not_folded, Process.exchanges, "chandy-lamport-three-inputs"),
    (third_output_dropped, Process.exchanges, "chandy-lamport-threes"),
    (third_message_in_front, ChandyLamport.take, "chandy-lamport-threes"),
    (third_crash_forgets, CheckpointCoordinator.restored_from, "checkpoints-three-crashes"),
    (no_switch_behind_an_end, Operator.time_out, "checkpoints-timeout-behind-an-end"),
    (second_input_not_reported, Reporter.report_of, "collection-two-inputs"),
]


@pytest.mark.parametrize(
    ("defect", "original", "name"), some(DEFECTS, 1), ids=lambda one: getattr(one, "__name__", None)
)
def test_a_model_of_the_quick_plan_sees_it(monkeypatch, defect, original, name):
    (model,) = [m for m in shipped_plan("quick").models if m.name == name]
    monkeypatch.setattr(*defect(original))
    found = conform_model(model, LIBRARY, find_tools(), processes=1)
    assert found.mismatches
