"""The comparison of a state graph on Spark: for graphs that one process had better not read alone."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - what everyone calls it

from pyharness.base.errors import HarnessError, IncompleteError, ToolError
from pyharness.gate.jobs.spark_session import cause_of
from pyharness.gate.jobs.table_schemas import write_rows, write_table
from pyharness.hold.conformance.graph_comparison import Paths
from pyharness.hold.conformance.spark_tables import differences, lines_from, read_state_graph
from pyharness.models.table_rows import MismatchRow
from pyharness.tla.tlc.dump import states_on

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from pyspark import RDD
    from pyspark.sql import DataFrame

    from pyharness.hold.conformance.subject import Subject
    from pyharness.tla.values import Fn


class SparkComparison:
    """A :class:`~pyharness.hold.conformance.graph_comparison.GraphComparison` whose tables are with Spark, until it ends.

    It is a context manager, which gives up the tables' room. With a ``depth`` the states at that depth are expanded on
    neither side.

    Raises what :func:`~pyharness.hold.conformance.spark_tables.read_state_graph` does, and IncompleteError for a step to
    a state that is not there.
    """

    def __init__(
        self, pieces: RDD[str], subject: Subject, *, name: str, distinct: int | None, depth: int | None
    ) -> None:
        self.name = name
        self._pieces = pieces
        spark = SparkSession(pieces.context)
        self._graph = read_state_graph(spark, pieces, subject, name=name, distinct=distinct)
        self.states = self._graph.size
        self.initial = self._initial()
        self._found = found = differences(self._graph, unexpanded=self._at_bound(spark, depth))
        self.transitions = found.transitions
        self.pairs: list[tuple[int, str]] = []
        if found.differing:
            if not found.table.where(F.col("key").isNull()).isEmpty():
                raise IncompleteError("a step leads to a state that is not there", where=name)
            table = found.table.select("source", "action").distinct()
            self.pairs = [(row.source, row.action) for row in table.collect()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for table in (*self._graph.kept, self._found.kept):
            table.unpersist()

    def leave_tables(self, out: Path, rows: Sequence[MismatchRow]) -> None:
        """Write the tables of the comparison, and the rows of its mismatches, below ``out``: here, not on Spark."""
        graph = self._graph
        tables = {"states": graph.states, "transitions": graph.transitions, "differences": self._found.table}
        for name, table in tables.items():
            write_table(table.toArrow(), out / name)
        write_rows(MismatchRow, rows, out / "conformance")

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

    def find(self, ids: Iterable[int]) -> dict[int, Fn]:
        """Return some states by their ids."""
        wanted = {str(number) for number in ids}
        lines = self._pieces.flatMap(partial(lines_from, wanted=wanted)).collect()
        return states_on(lines, map(int, wanted), where=self.name)

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
    """Make what Spark raises a ToolError that says why."""
    try:
        yield
    except HarnessError:
        raise
    except Exception as error:
        raise ToolError(cause_of(error), where=where, hint="run `pyharness doctor --spark`") from error
