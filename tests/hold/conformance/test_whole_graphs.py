"""When a graph is whole: each count that it is judged by is missed if it is wrong, by itself."""

from __future__ import annotations

import pytest

from pyharness.base.errors import ConformanceError, IncompleteError, ToolError
from pyharness.hold.conformance.graph_comparison import require_census, require_states

WHOLE = {"problem": None, "of_spec": False, "lines": 3, "read": 3, "ids": 3, "keys": 3, "distinct": 3}


@pytest.mark.parametrize(
    ("opened", "closed", "unknown", "error"),
    [
        (0, 0, None, IncompleteError),
        (2, 1, None, IncompleteError),
        (1, 2, None, IncompleteError),
        (2, 2, "rubbish", ToolError),
        (2, 2, "", ToolError),
    ],
)
def test_a_dump_without_its_frame_or_with_a_strange_line_is_none(opened, closed, unknown, error):
    require_census("g", opened=2, closed=2, unknown=None)
    with pytest.raises(error):
        require_census("g", opened=opened, closed=closed, unknown=unknown)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"problem": "no state"}, ToolError),
        ({"problem": "no state", "of_spec": True}, ConformanceError),
        ({"lines": 4}, IncompleteError),
        ({"read": 2}, IncompleteError),
        ({"ids": 2, "keys": 2}, IncompleteError),
        ({"ids": 4, "keys": 4}, IncompleteError),
        ({"distinct": 4}, IncompleteError),
        ({"distinct": None}, IncompleteError),
        ({"lines": 0, "read": 0, "ids": 0, "keys": 0, "distinct": 0}, IncompleteError),
        ({"keys": 2}, ToolError),
        ({"keys": 4}, ToolError),
    ],
)
def test_states_are_all_there_and_each_has_its_own_key(change, error):
    require_states("g", **WHOLE)
    with pytest.raises(error):
        require_states("g", **WHOLE | change)


def test_a_state_that_is_told_twice_is_on_more_lines_than_there_are_states():
    require_states("g", **WHOLE | {"lines": 5, "read": 5})
