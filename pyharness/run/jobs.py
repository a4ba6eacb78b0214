"""Jobs: the units of work of a plan, named by the content of everything their result depends on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from pyharness import __version__
from pyharness.plan.witness import probes_of
from pyharness.run.code_digest import code_digest

if TYPE_CHECKING:
    from pyharness.plan.plan import Model, Plan
    from pyharness.plan.spec_modules import Library
    from pyharness.run.machine_tools import Tools
    from pyharness.topology import Topology

__all__ = ["ALONE", "CODE", "Job", "plan_jobs"]


_TLC: Final = (
    "pyharness.run.tlc_jobs",
    "pyharness.plan.spec_modules",
    "pyharness.tla.render",
    "pyharness.topology",
)
CODE: Final = {
    "check": _TLC,
    "simulate": _TLC,
    "explore": ("pyharness.run.exploration_job", "pyharness.plan.model", "pyharness.topology"),
    "conform": ("pyharness.conformance.comparison", "pyharness.plan.model", *_TLC[1:]),
}
"""The modules that turn a job of each kind into rows, with the classes of what it is given; what they import counts."""

ALONE: Final = ("pyharness.run.job_execution", "pyharness.run.job_store", "pyharness.plan.model")
"""Modules that every job goes through and that import, for other jobs or other uses, more than it needs: they count
without what they import. What TLC is given of a model is digested itself."""


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
    """Return the jobs of a plan, the long ones first."""
    jobs = [_job("check", model, plan.library, tools) for model in plan.models]
    for model in plan.models:
        if model.conform:
            jobs.append(_job("conform", model, plan.library, tools))
        if model.simulate:
            jobs.append(_job("simulate", model, plan.library, tools))
        if model.explore:
            jobs += [_job("explore", model, plan.library, tools, t) for t in model.topologies]
    return sorted(jobs, key=lambda job: -job.weight)


def _job(
    kind: str,
    model: Model,
    library: Library,
    tools: Tools,
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
        "java": tools.java_version,
        "per_run": model.per_run,
        "budget": asdict(model.budget),
        "simulate": asdict(model.simulate) if model.simulate and kind == "simulate" else None,
        "version": __version__,
        "code": code_digest(*CODE[kind], alone=ALONE),
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]
    return Job(digest, kind, model, topology)
