import pytest
from samples import output, result

from pyharness.tla.tlc import ActionCount, TlcMessage
from pyharness.tla.tlc.coverage import CoverageReader


@pytest.mark.parametrize("build", ["2.15", "modern"])
def test_recorded_coverage(build):
    coverage = result(output(build, "success_coverage"), 0).coverage
    counts = {name: (action.distinct, action.total) for name, action in coverage.actions.items()}
    assert counts == {"Init": (1, 1), "Inc": (6, 6), "Reset": (1, 2), "Never": (0, 0)}
    assert coverage.actions["Inc"] == ActionCount(
        6, 6, "Ok", 6, "line 6, col 1 to line 6, col 3 of module Ok"
    )
    assert coverage.properties == {"TypeOK": "line 11, col 1 to line 11, col 6 of module Ok"}
    assert coverage.expressions["Inc"]["line 6, col 8 to line 6, col 8 of module Ok"] == 8
    assert coverage.expressions["Never"]["line 8, col 19 to line 8, col 32 of module Ok"] == 0
    assert coverage.expressions["TypeOK"]["line 11, col 11 to line 11, col 20 of module Ok"] == 8


@pytest.mark.parametrize("build", ["2.15", "modern"])
def test_a_run_without_coverage_has_none(build):
    assert result(output(build, "success"), 0).coverage is None


def _report(*messages, end=True):
    reader = CoverageReader()
    for code, text in [(2201, ""), *messages, *([(2202, "")] if end else [])]:
        reader.add(TlcMessage(code, 0, text))
    return reader.last


def test_an_unfinished_report_does_not_count():
    assert _report((2772, "<A line 1, col 1 to line 1, col 2 of module M>: 1:2"), end=False) is None


def test_actions_of_the_same_name_stay_apart():
    coverage = _report(
        (2772, "<A line 1, col 1 to line 1, col 2 of module M>: 1:2"),
        (2772, "<A line 5, col 1 to line 5, col 2 of module N>: 0:0"),
        (2772, "<A line 1, col 1 to line 1, col 2 of module M>: 10:20"),
        (2772, "<B(p1) line 2, col 1 to line 2, col 2 of module M>: 3:4"),
    )
    counts = {name: (action.distinct, action.total) for name, action in coverage.actions.items()}
    assert counts == {"A": (11, 22), "A@5": (0, 0), "B": (3, 4)}


def test_the_parts_of_a_definition_are_counted_together():
    coverage = _report(
        (2772, "<Next line 17, col 1 to line 17, col 4 of module M (17 12 17 33)>: 3:4"),
        (2772, "<Next line 17, col 1 to line 17, col 4 of module M (21 12 21 25)>: 0:10"),
    )
    assert coverage.actions == {
        "Next": ActionCount(3, 14, "M", 17, "line 17, col 1 to line 17, col 4 of module M")
    }
