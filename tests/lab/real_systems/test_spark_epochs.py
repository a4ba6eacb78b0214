"""Spark's coordinator and the rule of commits in order: the rule, what is enumerated, faults that are found."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from math import factorial

import pytest

from pyharness.lab.real_systems import spark_epochs
from pyharness.lab.real_systems.spark_epochs import (
    InOrder,
    LogsAgain,
    Message,
    any_order,
    drawn,
    each_in_order,
    hold_spark_epochs,
    read_messages,
)
from tests.long import LONG


def calls(rule, text):
    return [rule.take(message) for message in read_messages(text)]


def test_a_complete_epoch_waits_for_those_before_it():
    order = "writer 0: 2, reader 0: 2, writer 0: 1, reader 0: 1"
    assert calls(InOrder(1, 1), order) == [
        [],
        ["offsets 2"],
        [],
        ["offsets 1", "sink 1: 0", "log 1", "sink 2: 0", "log 2"],
    ]


def test_the_variant_differs_at_a_repeated_report_only():
    assert calls(InOrder(1, 1), "reader 0: 1, reader 0: 1") == [["offsets 1"], []]
    assert calls(LogsAgain(1, 1), "reader 0: 1, reader 0: 1") == [["offsets 1"], ["offsets 1"]]
    for order in any_order(1, 2, 2):
        assert spark_epochs._calls(InOrder(1, 2), order) == spark_epochs._calls(LogsAgain(1, 2), order)


def test_how_many_sequences_there_are():
    """With the names of two writers and two readers free, a quarter of all orders that keep each partition's."""
    found = list(each_in_order(2, 2, 2))
    assert len(found) == len(set(found)) == factorial(8) // 2**4 // 4 == 630
    assert len(list(any_order(1, 1, 2))) == 24
    assert len(drawn(random.Random(1), 3, 2, 4)) >= 20


class OurOwn:
    """A coordinator that is the rule, or the rule with a fault of the adapter."""

    def __init__(self, change=lambda order: order, rule=LogsAgain):
        self.change, self.rule = change, rule

    def coordinate(self, writers, readers, order):
        rule = self.rule(writers, readers)
        found = [rule.take(message) for message in self.change(list(order))]
        return [*found, *[[]] * (len(order) - len(found))]


def lost(order):
    return order[:3] + order[4:]


def wrong_epoch(order):
    return [Message(m.kind, m.part, m.epoch % 2 + 1) for m in order]


class TwiceCommitted(InOrder):
    def take(self, message):
        return [call for call in super().take(message) for _ in range(1 + call.startswith("sink"))]


def held(monkeypatch, spark):
    monkeypatch.setattr(spark_epochs, "start_spark", lambda: spark)
    return hold_spark_epochs(seed=1, sequences=50, epochs=2, place=None, say=lambda _: None)


def test_the_rule_agrees_with_itself(monkeypatch):
    found = held(monkeypatch, OurOwn())
    assert found.exit_code == 0, found.text()
    assert found.did["sequences"] == 630 + 24 + 50
    assert found.seen["sequences with a known difference"] > 0


@pytest.mark.parametrize(
    "fault",
    [
        {"change": lost},
        {"change": wrong_epoch},
        {"rule": TwiceCommitted},
        {"change": lambda order: order[::-1]},
    ],
    ids=["a message lost", "another epoch", "doubled", "another order"],
)
def test_a_fault_of_our_adapter_is_found(monkeypatch, fault):
    assert held(monkeypatch, OurOwn(**fault)).exit_code == 1


def test_a_known_difference_that_is_gone_is_told(monkeypatch):
    found = held(monkeypatch, OurOwn(rule=InOrder))
    assert {rule.name for rule in found.rules if rule.differences} == {"known differences"}


@LONG
@pytest.mark.slow
def test_spark_itself(tmp_path):
    if not find_spec("jpype") and os.environ.get("PYHARNESS_SYSTEMS") != "required":
        pytest.skip("JPype1 not installed; `make systems` does")
    command = [
        sys.executable,
        "-m",
        "pyharness",
        "systems",
        "spark-epochs",
        "--epochs",
        "2",
        "--sequences",
        "300",
    ]
    ran = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    kept = json.loads((tmp_path / "spark-epochs.json").read_text(encoding="utf-8"))
    assert kept["did"]["sequences"] == 630 + 24 + 300
    assert kept["seen"]["sequences with a known difference"] > 0


def test_dropped_reports_count_again_only_if_all_repeat_them():
    once = "writer 0: 1, reader 0: 1, reader 1: 1, writer 0: 2, reader 0: 2, reader 1: 2"
    calls_again = calls(LogsAgain(1, 2), f"{once}, reader 0: 1, reader 1: 1")
    assert calls_again[-2:] == [[], ["offsets 1"]]
