"""A model of a plan, ready for mutants: its states with what the implementation must do in each.

TLC runs once for each model, and its graph is kept under a name made of all that it depends on. Before a mutant is
looked at, the correct implementation is compared with the graph, and must agree. So what a mutant has to equal is both
what the spec says and what the correct implementation does.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import ConformanceError, IncompleteError
from pyharness.base.toolchain.own_files import write_bytes, write_text
from pyharness.base.toolchain.seal import is_sealed, seal
from pyharness.hold.conformance.comparison import compare
from pyharness.hold.conformance.graph_run import graph_digest, write_graph
from pyharness.hold.conformance.subject import subject_of
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.mutants.code.code_mutants import Reached
from pyharness.tla.tlc import Outcome, Result

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


def prepare(model: Model, library: Library, tools: Tools, cache: Path, root: Path) -> PreparedModel:
    """Make a model ready; its graph is kept in ``cache``. ``root`` is the directory of the functions to watch.

    Raises ConformanceError when the implementation differs from the spec without any mutant, and what
    :func:`~pyharness.hold.conformance.comparison.compare` raises.
    """
    subject = subject_of(model, None)
    with tempfile.TemporaryDirectory(prefix="pyharness-mutation-") as directory:
        dump = Path(directory) / "graph.dot"
        result = _graph(model, library, tools, dump, cache / graph_digest(model, library, tools))
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
"""So many states of a graph are enough to see which functions run."""


def _graph(model: Model, library: Library, tools: Tools, dump: Path, kept: Path) -> Result:
    """Get a model's graph from where it is kept, or else from TLC, and keep it if it is whole."""
    packed, count = kept.with_suffix(".dot.gz"), kept.with_suffix(".states")
    if count.is_file() and packed.is_file():
        found, _, states = count.read_text(encoding="utf-8", errors="replace").partition("\n")
        if is_sealed(found, kept.name, _digest(packed), states):
            with gzip.open(packed, "rb") as source, dump.open("wb") as target:
                shutil.copyfileobj(source, target)
            return Result(Outcome.SUCCESS, exit_status=0, finished=True, distinct=int(states))
    result = write_graph(model, library, tools, dump)
    if meaning(result).verdict is Verdict.PASS:
        write_bytes(packed, gzip.compress(dump.read_bytes(), compresslevel=1))
        states = str(result.distinct)
        write_text(
            count, f"{seal(kept.name, _digest(packed), states)}\n{states}"
        )  # last: it says that the graph is there
    return result


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return str(hashlib.file_digest(file, "sha256").hexdigest())
