"""Survey many graphs, several at a time, each looked at whole or in part; what is kept of one is not made again."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import resource
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.own_files import own_directory
from pyharness.lab.survey.graph_record import GraphRecord, Reach, leave_record, left_record
from pyharness.models.bounds import SimulationBudget
from pyharness.models.single_model import check_model
from pyharness.models.tlc_runs import run_model
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.tla.modules.library import Library
from pyharness.tla.tlc import EndedBy, Outcome, Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.base.topology import Topology
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.tlc import Result


class Walks(NamedTuple):
    """The behaviours that stand in for a state space: how many, of how many steps at most, from which seed."""

    behaviours: int = 200
    steps: int = 200
    seed: int = 1


def survey_graph(model: Model, library: Library, tools: Tools, walks: Walks) -> GraphRecord:
    """Look at the one graph of ``model``, within the model's budget, in this process's children and one at a time.

    Raises ToolError when the machine is at fault, SpecError for a model that is none.
    """
    before = _children_seconds()
    checked = check_model(model, library, tools)
    searched = _children_seconds() - before
    result = checked.result
    (topology,) = model.topologies
    record = GraphRecord(
        topology=topology.id,
        processes=topology.processes,
        channels=len(topology.channels),
        items=model.items,
        reach=Reach.UNDECIDED,
        seen=result.distinct,
        seconds=round(searched, 2),
        why=checked.reason,
    )
    if checked.verdict is Verdict.PASS:
        return replace(record, reach=Reach.ALL_STATES, states=result.distinct, depth=result.depth, why="")
    if checked.verdict is Verdict.VIOLATION:
        return replace(record, reach=Reach.VIOLATED, why=checked.violated or checked.reason)
    if not _too_large(result):
        return record
    return _walked(record, model, library, tools, walks)


def _walked(record: GraphRecord, model: Model, library: Library, tools: Tools, walks: Walks) -> GraphRecord:
    """Simulate what was too large; the record says what the simulation came to."""
    simulated = replace(
        model,
        simulate=SimulationBudget(walks.behaviours, walks.steps, walks.seed),
        budget=replace(model.budget, cpu_seconds=None),
    )
    before = _children_seconds()
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        result = run_model(
            simulated,
            library,
            tools,
            Path(directory),
            model.budget.seconds,
            topologies=model.topologies,
            simulation=Simulation(walks.behaviours, walks.steps),
        )
    record = replace(record, walk_seconds=round(_children_seconds() - before, 2))
    found = meaning(result)
    if found.verdict is Verdict.PASS:
        return replace(record, reach=Reach.SIMULATED, behaviours=walks.behaviours)
    if found.verdict is Verdict.VIOLATION:
        return replace(record, reach=Reach.VIOLATED, why=found.cause)
    return replace(record, why=f"{record.why}; simulation: {found.reason}")


def _too_large(result: Result) -> bool:
    """Whether the search was cut off for want of time or memory, and not for another reason."""
    return result.ended_by is EndedBy.TIMEOUT or result.outcome is Outcome.OUT_OF_MEMORY


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sample_of(graphs: Sequence[Topology], size: int, seed: int) -> list[Topology]:
    """Draw ``size`` of the graphs, or take them all if there are no more; equal seeds draw equal samples."""
    if size >= len(graphs):
        return list(graphs)
    return Random(seed).sample(list(graphs), size)  # noqa: S311 - a reproducible sample, not a secret


@dataclass(frozen=True)
class Survey:
    """How graphs are looked at, and the directory ``out`` that keeps what was found."""

    library: Library
    tools: Tools
    walks: Walks
    out: Path

    def records(
        self, models: Sequence[Model], jobs: int = 1, say: Callable[[GraphRecord], None] = lambda _: None
    ) -> list[GraphRecord]:
        """Look at the one graph of each model, and return the records in the order of the models.

        So many ``jobs`` run at a time, graphs with many channels first. ``say`` is told of each record as it is made.
        What was kept for the same model, specs, tools and code is taken as it is.

        Raises IncompleteError when a process of ours was killed, ToolError when the machine is at fault; what was
        made until then stays.
        """
        own_directory(self.out)
        paths = [self.out / f"{self._digest(model)}.json" for model in models]
        found = [left_record(path) for path in paths]
        missing = [place for place, record in enumerate(found) if record is None]
        missing.sort(key=lambda place: -len(models[place].topologies[0].channels))
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
            asked = {
                pool.submit(_look, models[place], self.library.directories, self.tools, self.walks): place
                for place in missing
            }
            try:
                for future in as_completed(asked):
                    place = asked[future]
                    found[place] = record = future.result()
                    leave_record(paths[place], record)
                    say(record)
            except BrokenProcessPool as error:
                raise IncompleteError("a process was killed; what it had not finished is not kept") from error
            finally:
                pool.shutdown(cancel_futures=True)
        return [record for record in found if record is not None]

    def _digest(self, model: Model) -> str:
        """Name a record by everything that it depends on."""
        rendered = model.render(self.library)
        content = {
            "tla": rendered.tla,
            "cfg": rendered.cfg,
            "modules": {
                name: hashlib.sha256(module.text.encode()).hexdigest()
                for name, module in self.library.closures(model.modules).items()
            },
            "budget": asdict(model.budget),
            "walks": self.walks,
            "tlc": self.tools.jar_sha256,
            "java": self.tools.java_version,
            "code": _code(),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]


def _look(model: Model, directories: Sequence[Path], tools: Tools, walks: Walks) -> GraphRecord:
    return survey_graph(model, Library(*directories), tools, walks)


@cache
def _code() -> str:
    return code_digest("pyharness.lab.survey.sampled_survey")
