"""A model of a plan, ready for mutants: its states with what the implementation must do in each, or its counts.

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
from pyharness.hold.conformance.graph_comparison import graph_digest, write_graph
from pyharness.hold.conformance.subject import subject_of
from pyharness.machines.replay import explore
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.mutants.code.code_mutants import Reached
from pyharness.tla.tlc import Outcome, Result
from pyharness.tla.tlc.dump import split_node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.hold.conformance.subject import Subject
    from pyharness.machines.systems.system import GlobalState
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library

_Successors = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class ComparedModel:
    """A model that the plan compares in every state.

    ``initial`` has the keys of the initial states by topology, ``states`` each state of TLC's graph with its topology
    and its successors' actions and keys. ``reached`` are the functions that run in a comparison, ``seconds`` is the
    processor time that one takes.
    """

    model: Model
    subject: Subject
    initial: dict[str, frozenset[int]]
    states: tuple[tuple[str, GlobalState, _Successors], ...]
    reached: frozenset[tuple[str, str]]
    seconds: float

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.states)

    def difference(self) -> str | None:
        """Say where the implementation, as it is now, first does something else; ``None`` if nowhere."""
        implementation = self.subject.build()
        for topology in self.model.topologies:
            if frozenset(implementation.initial(topology)) != self.initial[topology.id]:
                return f"begins otherwise on {topology.id}"
        for topology_id, state, expected in self.states:
            found = _flat(implementation.expand_own(topology_id, state).successors)
            if found != expected:
                action = min(name for name, _ in found ^ expected)
                return f"{action} differs on {topology_id}"
        return None


@dataclass(frozen=True)
class ExploredModel:
    """A model that the plan explores and does not compare: ``distinct`` has the number of states by topology."""

    model: Model
    distinct: dict[str, int]
    reached: frozenset[tuple[str, str]]
    seconds: float

    @property
    def size(self) -> int:
        """The number of states."""
        return sum(self.distinct.values())

    def difference(self) -> str | None:
        """Say on which topology the implementation, as it is now, finds another number of states."""
        for topology in self.model.topologies:
            wanted = self.distinct[topology.id]
            try:
                found = explore(
                    self.model.system(topology), stop_when_over=bool(self.model.stop), max_states=wanted
                ).distinct
            except IncompleteError:
                return f"more than {wanted} states on {topology.id}"
            if found != wanted:
                return f"{found} states instead of {wanted} on {topology.id}"
        return None


def prepare(
    model: Model, library: Library, tools: Tools, cache: Path, root: Path
) -> ComparedModel | ExploredModel:
    """Make a model ready; its graph is kept in ``cache``. ``root`` is the directory of the functions to watch.

    Raises IncompleteError when the plan's pins say otherwise, ConformanceError when the implementation differs from
    the spec without any mutant, and what :func:`~pyharness.hold.conformance.comparison.compare` raises.
    """
    if model.conform:
        return _compared(model, library, tools, cache, root)
    with Reached(root) as reached:
        began = time.process_time()
        distinct = {
            topology.id: explore(model.system(topology), stop_when_over=bool(model.stop)).distinct
            for topology in model.topologies
        }
        seconds = time.process_time() - began
    if model.pins is None or sum(distinct.values()) != model.pins.distinct:
        raise IncompleteError(
            f"{sum(distinct.values())} states are not what is pinned",
            where=model.name,
            hint="run `pyharness check` first: what is measured here are its models",
        )
    return ExploredModel(model, distinct, reached.functions, seconds)


def _compared(model: Model, library: Library, tools: Tools, cache: Path, root: Path) -> ComparedModel:
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
        own = [implementation.read_texts(texts) for texts in _texts(dump)]
    with Reached(root) as reached:
        watched = subject.build()
        for topology in model.topologies:
            watched.initial(topology)
        for topology_id, state in own[:: max(1, len(own) // _WATCHED)]:
            watched.expand_own(topology_id, state)
    began = time.process_time()
    states = tuple((t, state, _flat(implementation.expand_own(t, state).successors)) for t, state in own)
    return ComparedModel(model, subject, initial, states, reached.functions, time.process_time() - began)


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


def _texts(dump: Path) -> Iterator[list[str]]:
    with dump.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if not line.startswith(" -> ", line.find(" ")) and (node := split_node(line)) is not None:
                yield node.lines


def _flat(successors: Mapping[str, tuple[int, ...]]) -> _Successors:
    return frozenset((name, key) for name, keys in successors.items() for key in keys)
