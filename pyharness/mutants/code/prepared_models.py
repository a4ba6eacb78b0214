"""A model of a plan, ready for mutants: its states with what the implementation must do in each.

Before a mutant is looked at, the correct implementation is compared with TLC's graph, and must agree. So what a mutant
has to equal is that of both the spec and the correct implementation.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import ConformanceError, IncompleteError
from pyharness.hold.conformance.comparison import compare
from pyharness.hold.conformance.graph_run import write_graph
from pyharness.hold.conformance.subject import subject_of
from pyharness.mutants.code.code_mutants import Reached

if TYPE_CHECKING:
    from pyharness.base.topology import Topology
    from pyharness.hold.conformance.subject import ComparedModel, OwnState
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library

_Successors = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class PreparedModel:
    """A model that the plan compares in every state.

    ``initial`` has the keys of the initial states by topology, ``states`` each state of TLC's graph with its topology
    and its successors' actions and keys. ``reached`` are the functions that run in a comparison, ``seconds`` is the
    processor time that one takes.
    """

    model: Model
    subject: ComparedModel
    initial: dict[str, frozenset[int]]
    states: tuple[tuple[Topology, OwnState, _Successors], ...]
    reached: frozenset[tuple[str, str]]
    seconds: float

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.states)

    def difference(self) -> str | None:
        """Name the action by which the implementation, as it is now, first differs; ``None`` if it does nowhere."""
        implementation = self.subject.build()
        for topology in self.model.topologies:
            if frozenset(implementation.initial(topology)) != self.initial[topology.id]:
                return f"begins otherwise on {topology.id}"
        for topology, own, expected in self.states:
            found = implementation.successors(implementation.on(topology), own).keys()
            if found != expected:
                action = min(name for name, _ in found ^ expected)
                return f"{action} differs on {topology.id}"
        return None


def prepare(model: Model, library: Library, tools: Tools, root: Path) -> PreparedModel:
    """Make a model ready. ``root`` is the directory of the functions to watch.

    Raises ConformanceError when the implementation differs from the spec without any mutant, and what
    :func:`~pyharness.hold.conformance.comparison.compare` raises.
    """
    subject = subject_of(model, None)
    with tempfile.TemporaryDirectory(prefix="pyharness-mutation-") as directory:
        dump = Path(directory) / "graph.dot"
        result = write_graph(model, library, tools, dump)
        found = compare(model, subject, dump, result)
    if not found.agreed:
        raise ConformanceError(
            f"the implementation differs from the spec in {found.mismatches} places without any mutant",
            where=model.name,
        )
    implementation = subject.build()
    initial = {t.id: frozenset(implementation.initial(t)) for t in model.topologies}
    began = time.process_time()
    states = tuple(
        (topology, own, frozenset(after))
        for topology in model.topologies
        for own, after in implementation.reachable(topology, model.depth)
    )
    seconds = time.process_time() - began
    if (reached_states := len({own.key for _, own, _ in states})) != found.states:
        raise IncompleteError(f"{reached_states} states of {found.states} were reached", where=model.name)
    with Reached(root) as reached:
        watched = subject.build()
        for topology in model.topologies:
            watched.initial(topology)
        for topology, own, _ in states[:: max(1, len(states) // _WATCHED)]:
            watched.successors(watched.on(topology), own)
    return PreparedModel(model, subject, initial, states, reached.functions, seconds)


_WATCHED = 20_000
"""States of a graph that are enough to see which functions run."""
