"""TLC's graphs for the comparisons; the runs behind them are made once in a session (``tests/shared_tlc.py``)."""

from __future__ import annotations

from functools import cache

import pytest

from pyharness.hold.conformance.graph_run import write_graph
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.tla.tlc import Outcome, load_graph
from tests.hold.conformance.places import LIBRARY
from tests.hold.conformance.tiny_model import MODEL


@pytest.fixture(scope="module")
def graph_of(tmp_path_factory):
    """Return a function from a model's fields to TLC's graph; each graph is made once."""

    @cache
    def made(fields):
        dump = tmp_path_factory.mktemp("graph") / "graph.dot"
        result = write_graph(Model("m", **dict(fields)), LIBRARY, find_tools(), dump)
        assert result.outcome is Outcome.SUCCESS, result.error_text
        return load_graph(dump)

    return lambda **fields: made(tuple(sorted(fields.items())))


@pytest.fixture(scope="module")
def dumped(tmp_path_factory):
    """TLC's dump of the model MODEL, as text, and the result of that run."""
    dump = tmp_path_factory.mktemp("dump") / "graph.dot"
    result = write_graph(MODEL, LIBRARY, find_tools(), dump)
    return dump.read_text(encoding="utf-8"), result
