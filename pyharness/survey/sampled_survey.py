"""Survey many graphs, several at a time; each record is kept as soon as it is made, and is not made again."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from pyharness.errors import IncompleteError
from pyharness.modules.library import Library
from pyharness.survey.graph_record import leave_record, left_record
from pyharness.survey.graph_survey import survey_graph
from pyharness.toolchain.code_digest import code_digest
from pyharness.toolchain.own_files import own_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyharness.plan.model import Model
    from pyharness.run.machine_tools import Tools
    from pyharness.survey.graph_record import GraphRecord
    from pyharness.survey.graph_survey import Walks
    from pyharness.topology import Topology


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
    return code_digest("pyharness.survey.graph_survey")
