"""The comparison of a state graph on Spark: for graphs that one process had better not read alone."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - what everyone calls it

from pyharness.conformance.shortest_paths import Paths
from pyharness.conformance.spark_tables import differences, read_state_graph
from pyharness.errors import HarnessError, IncompleteError, ToolError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from pyharness.conformance.subject import Subject

__all__ = ["SparkComparison", "spark_errors"]


class SparkComparison:
    """A :class:`~pyharness.conformance.graph_comparison.GraphComparison` whose tables are in ``out``.

    With a ``depth`` the states at that depth are expanded on neither side.

    Raises what :func:`~pyharness.conformance.spark_tables.read_state_graph` does, and IncompleteError for a step to
    a state that is not there.
    """

    def __init__(
        self,
        spark: SparkSession,
        dump: Path,
        subject: Subject,
        out: Path,
        *,
        distinct: int | None,
        depth: int | None,
    ) -> None:
        self._graph = read_state_graph(spark, dump, subject, out, distinct=distinct)
        self.states = self._graph.size
        self.initial = self._initial()
        found = differences(self._graph, out, unexpanded=self._at_bound(spark, depth))
        self.transitions = found.transitions
        self.pairs: list[tuple[int, str]] = []
        if found.differing:
            if not found.table.where(F.col("key").isNull()).isEmpty():
                raise IncompleteError("a step leads to a state that is not there", where=dump.name)
            table = found.table.select("source", "action").distinct()
            self.pairs = [(row.source, row.action) for row in table.collect()]

    def paths(self) -> Paths:
        """Return the shortest ways to all states."""
        return self._paths

    @cached_property
    def _paths(self) -> Paths:
        steps = (
            self._graph.transitions.select("source", "action", "target")
            .distinct()
            .toLocalIterator(prefetchPartitions=True)
        )
        initial = [number for ids in self.initial.values() for number in ids.values()]
        return Paths(initial, ((step.source, step.action, step.target) for step in steps))

    def following(self, sources: Collection[int]) -> dict[tuple[int, str], set[int]]:
        """Return the successors of some states in TLC's graph, by state and action."""
        found: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
        for step in self._graph.transitions.where(F.col("source").isin(list(sources))).distinct().collect():
            found[step.source, step.action].add(step.target)
        return dict(found)

    def _initial(self) -> dict[str, dict[int, int]]:
        found: dict[str, dict[int, int]] = {}
        for row in self._graph.states.where("initial").select("topology", "key", "id").collect():
            found.setdefault(row.topology, {})[row.key] = row.id
        return found

    def _at_bound(self, spark: SparkSession, depth: int | None) -> DataFrame | None:
        if depth is None:
            return None
        last = [(state,) for state, at in self._paths.depth.items() if at >= depth]
        return spark.createDataFrame(last, "id long")


@contextmanager
def spark_errors(where: str) -> Iterator[None]:
    """Make what Spark raises a ToolError, with the line of it that says what went wrong."""
    try:
        yield
    except HarnessError:
        raise
    except Exception as error:
        lines = str(error).strip().split("\n")
        cause = next((line.strip() for line in reversed(lines) if "Error" in line), lines[0])
        raise ToolError(cause, where=where, hint="run `pyharness doctor --spark`") from error
