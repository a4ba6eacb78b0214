"""The files of known differences and of Flink's unit tests: their form. None of this needs Flink."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pyharness.base.errors import SpecError
from pyharness.hold.flink.event_sequences import sequence_text
from pyharness.hold.flink.expected_differences import FILE, find_expected, recorded_differences
from pyharness.hold.flink.handler_comparison import check_events
from pyharness.hold.flink.real_handlers import FLINK_MODES
from tests.hold.flink.unit_tests import unit_tests

TEXT = FILE.read_text(encoding="utf-8")


def test_every_known_difference_says_why():
    for each in recorded_differences():
        assert each.why
        assert each.rule
        for case in each.cases:
            assert case.spec != case.flink
            check_events(case.events, case.inputs)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('format = "pyharness-flink-differences/1"', 'format = "other"', "format"),
        ('rule = "CheckpointBarrierTracker', 'right = "spec"\nrule = "CheckpointBarrierTracker',
            "right: no such key"),
        ('versions = ["1.18", "1.20", "2.0", "2.2", "2.3"]', "versions = []", "a version"),
        ('sequence = "0:barrier 1, ', 'sequence = "0:barrier 1,', "is not a case"),
        ("[[difference]]", "[[difference", "not TOML"),
    ],
)  # fmt: skip
def test_a_file_with_a_mistake_is_refused(tmp_path, old, new, message):
    assert old in TEXT
    path = tmp_path / "differences.toml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        recorded_differences(path)


def test_a_difference_is_known_only_in_its_modes_and_versions():
    """Whatever variant of the operator does as Flink did, as if all of them did."""

    def known(mode, version):
        flink = SimpleNamespace(version=version)
        return find_expected(SimpleNamespace(flink=flink, mode=mode, is_variant=lambda *_: True), None)

    for each in recorded_differences():
        for mode in FLINK_MODES:
            found = known(mode, each.versions[0])
            assert found is None or (mode in found.modes and found.is_in(each.versions[0]))
            assert known(mode, "0.1") is None
    assert known("no such mode", recorded_differences()[0].versions[0]) is None


def test_the_unit_tests_of_flink_are_about_a_hundred_and_each_is_a_sequence_or_has_a_reason():
    found = unit_tests()
    assert len(found) == 103
    assert len({(each.test, each.mode) for each in found}) == len(found)
    for each in found:
        if each.sequence:
            check_events(each.events, each.inputs)
            assert sequence_text(each.events) == each.sequence
