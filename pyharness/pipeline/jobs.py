"""Jobs: the units of work of a plan, named by the content of everything their result depends on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness import __version__, protocols, replay, tlc
from pyharness.pipeline.witness import probes_of

if TYPE_CHECKING:
    from pyharness.pipeline.modules import Library
    from pyharness.pipeline.plan import Model, Plan
    from pyharness.topology import Topology

__all__ = ["Job", "Tools", "plan_jobs"]


@dataclass(frozen=True)
class Tools:
    """What jobs need of the machine: the Java executable, the jar and its digest, the directories of the specs.

    ``jvm_options`` are for Java, and change no result.
    """

    java: Path
    jar: Path
    jar_sha256: str
    specs: tuple[Path, ...]
    jvm_options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """One unit of work.

    ``kind`` is ``check`` (TLC on all topologies of a model), ``simulate`` (behaviours of TLC for replay), ``explore``
    (the implementation's own state space of one ``topology``) or ``conform`` (the implementation's successors of every
    state of TLC's). ``id`` is a digest of the model as rendered, of the spec files it needs, of TLC, of the bounds, and
    of the implementation for what it runs.
    """

    id: str
    kind: str
    model: Model
    topology: Topology | None = None

    @property
    def weight(self) -> int:
        """A rough cost, to start long jobs first."""
        model = self.model
        if self.kind == "explore":
            return 10
        size = sum((t.processes * (1 + len(t.channels))) ** 2 for t in model.topologies)
        return size * model.items**4 * (1 if model.expect == "pass" else 0) + (
            20 if self.kind == "check" else 15
        )


def plan_jobs(plan: Plan, tools: Tools) -> list[Job]:
    """Give the jobs of a plan, the long ones first."""
    implementation = _implementation()
    jobs = [_job("check", model, plan.library, tools, "") for model in plan.models]
    for model in plan.models:
        if model.conform:
            jobs.append(_job("conform", model, plan.library, tools, implementation))
        if model.simulate:
            jobs.append(_job("simulate", model, plan.library, tools, ""))
        if model.explore:
            jobs += [_job("explore", model, plan.library, tools, implementation, t) for t in model.topologies]
    return sorted(jobs, key=lambda job: -job.weight)


def _job(
    kind: str,
    model: Model,
    library: Library,
    tools: Tools,
    implementation: str,
    topology: Topology | None = None,
) -> Job:
    topologies = None if topology is None else (topology,)
    rendered = model.render(
        library,
        topologies,
        firsts=model.mutant is not None and not model.fair,
        probes=probes_of(model, library),
    )
    modules = {
        module.name: hashlib.sha256(module.text.encode()).hexdigest()
        for root in model.modules
        for module in library.closure(root, instances=True)
    }
    content = {
        "kind": kind,
        "name": model.name,
        "tla": rendered.tla,
        "cfg": rendered.cfg,
        "modules": modules,
        "tlc": tools.jar_sha256,
        "per_run": model.per_run,
        "budget": asdict(model.budget),
        "simulate": asdict(model.simulate) if model.simulate and kind == "simulate" else None,
        "version": __version__,
        "harness": _harness(kind),
        "implementation": implementation,
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]
    return Job(digest, kind, model, topology)


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _implementation() -> str:
    """Digest the Python files whose behaviour an exploration shows."""
    packages = (directory for package in (protocols, replay) for directory in package.__path__)
    return _digest(*(file for directory in packages for file in sorted(Path(directory).glob("*.py"))))


def _harness(kind: str) -> str:
    """Digest the Python files that turn what TLC prints into the rows of a job of some kind."""
    here = Path(__file__).parent
    names = (
        ("conform", "mismatches", "runs", "state_graph")
        if kind == "conform"
        else ("execute", "kills", "runs", "violated", "witness")
    )
    readers = (file for directory in tlc.__path__ for file in sorted(Path(directory).glob("*.py")))
    return _digest(*(here / f"{name}.py" for name in names), *readers)
