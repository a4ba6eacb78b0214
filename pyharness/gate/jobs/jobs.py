"""Jobs: the units of work of a plan, named by the content of everything their result depends on."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from pyharness import __version__
from pyharness.base.errors import SpecError
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.spec_files import named_files
from pyharness.gate.plans.plan_logs import content_of
from pyharness.machines.replay.worked_examples import load_example
from pyharness.machines.systems import implementation_of
from pyharness.models.job import Job
from pyharness.models.mutant_group import render_mutants
from pyharness.models.schedule_model import render_schedule, schedule_modules
from pyharness.models.table_rows import to_plain
from pyharness.models.witness import probes_of
from pyharness.tla.modules.meanings import meaning_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.gate.plans.plan import Plan
    from pyharness.gate.plans.plan_modules import ModuleModel
    from pyharness.hold.logs.log_source import LogSource
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.table_rows import TraceRow
    from pyharness.tla.modules.library import Library

CODE: Final = ("base", "tla", "machines", "models", "hold", "gate/jobs", "gate/pipeline", "gate/plans")
"""Where the code of jobs is: after an edit there all of them run again."""

RUNS_ON: Final = ("igraph", "jinja2", "lark")
"""The packages of others that the code of jobs imports."""


@dataclass(frozen=True)
class TraceJob:
    """A job that runs the implementation on the ``traces`` of a model, which other jobs left.

    ``kind`` is ``replay`` or ``reorder``; ``id`` is a digest of the traces, of the model, and of what it runs.
    """

    id: str
    kind: str
    model: Model
    traces: tuple[TraceRow, ...]

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name


@dataclass(frozen=True)
class ExampleJob:
    """A worked example, checked by the implementation and TLC; ``id`` is a digest of all that the result depends on."""

    id: str
    name: str
    kind: Final = "example"


@dataclass(frozen=True)
class LogJob:
    """The log of a real run, checked against its spec; ``id`` is a digest of all that the result depends on."""

    id: str
    source: LogSource
    kind: Final = "log"

    @property
    def name(self) -> str:
        """The name of the log."""
        return self.source.name


@dataclass(frozen=True)
class ModuleJob:
    """The check of a module with its own configuration; ``id`` is a digest of all that the result depends on."""

    id: str
    model: ModuleModel
    kind: Final = "module"

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name


AnyJob = Job | TraceJob | ExampleJob | LogJob | ModuleJob
"""A unit of work of any kind."""


def plan_jobs(plan: Plan, tools: Tools) -> list[Job]:
    """Return the jobs of a plan."""
    kinds = [("check", model) for model in plan.models]
    kinds += [(k, m) for m in plan.models for k in ("conform", "simulate") if getattr(m, k)]
    return [_job(kind, model, plan.library, tools) for kind, model in kinds]


def _job(kind: str, model: Model, library: Library, tools: Tools) -> Job:
    return Job(_named(kind, _content(kind, model, library, tools)), kind, model)


def _content(kind: str, model: Model, library: Library, tools: Tools) -> dict[str, Any]:
    """Return all that the result of a job depends on, beside our code.

    That is what a model asks for, as it is rendered for TLC, and what of the specs this means: comments, layout, places
    and what no name leads to are no part of it. A comparison is of the graph, which is the same for any property.
    """
    if kind == "conform":
        rendered = model.unchecked.render(library, watched=True)
    elif model.mutant and not model.fair:
        rendered = render_mutants([model], library)
    else:
        rendered = model.render(library)
    return {
        "name": model.name,
        "what it must reach": probes_of(model, library) if kind == "check" else None,
        "the model": rendered.tla,
        "its configuration": rendered.cfg,
        "its graphs": [topology.id for topology in model.topologies],
        **_tlc(tools, meaning_of(library, model.modules, (rendered.tla, rendered.cfg))),
        "its runs": model.per_run if kind == "check" else None,
        "its budget": asdict(model.budget),
        "its behaviours": asdict(model.simulate) if model.simulate and kind == "simulate" else None,
    }


def trace_jobs(plan: Plan, traces: Iterable[TraceRow], tools: Tools) -> list[TraceJob]:
    """Return the jobs that replay and reorder the traces of a plan's models, where there is an implementation."""
    by_model: dict[str, list[TraceRow]] = {}
    for row in traces:
        by_model.setdefault(row.model, []).append(row)
    return [
        _trace_job(kind, model, tuple(by_model[model.name]), plan.library, tools)
        for model in plan.models
        if model.name in by_model and implementation_of(model.spec)
        for kind in (("replay",) if model.mutant else ("replay", "reorder"))
    ]


_WALKED: Final[tuple[str, ...]] = (
    "AlignedBarriers",
    "AtLeastOnceBarriers",
    "ChandyLamport",
    "StopTheWorld",
    "UnalignedBarriers",
    "WhiteRed",
)
"""The specs that logs are walked in."""


def _computation(model: Model) -> tuple[str, str]:
    """Name the modules along which TLC walks reordered traces."""
    return "Computation", model.application


def _trace_job(
    kind: str, model: Model, traces: tuple[TraceRow, ...], library: Library, tools: Tools
) -> TraceJob:
    name = _named(kind, _trace_content(kind, model, traces, library, tools))
    return TraceJob(name, kind, model, traces)


def _trace_content(
    kind: str, model: Model, traces: tuple[TraceRow, ...], library: Library, tools: Tools
) -> dict[str, Any]:
    content: dict[str, Any] = {**model.composed_of, "its traces": [to_plain(row) for row in traces]}
    if kind == "reorder":
        modules = _computation(model)
        everything = [" ".join(library.visible(name)) for name in modules]
        content |= _tlc(tools, meaning_of(library, modules, everything))
        content["its budget"] = model.budget.seconds
    return content


def example_jobs(plan: Plan, tools: Tools) -> list[ExampleJob]:
    """Return the jobs that check a plan's worked examples.

    Raises SpecError for an example that is not a schedule.
    """
    return [_example_job(name, plan.library, tools) for name in plan.examples]


def _example_job(name: str, library: Library, tools: Tools) -> ExampleJob:
    return ExampleJob(_named("example", _example_content(name, library, tools)), name)


def _example_content(name: str, library: Library, tools: Tools) -> dict[str, Any]:
    schedule = load_example(name, tools.specs[0])
    module, config = render_schedule(schedule)
    return {
        "name": name,
        "its text": named_files("examples", tools.specs[0])[name].read_text(encoding="utf-8"),
        "the model": module,
        "its configuration": config,
        **_tlc(tools, meaning_of(library, schedule_modules(schedule), (module, config))),
    }


def log_jobs(sources: Iterable[LogSource], library: Library, tools: Tools) -> list[LogJob]:
    """Return the jobs that validate logs."""
    return [_log_job(source, library, tools) for source in sources]


def _log_job(source: LogSource, library: Library, tools: Tools) -> LogJob:
    return LogJob(_named("log", _log_content(source, library, tools)), source)


def _log_content(source: LogSource, library: Library, tools: Tools) -> dict[str, Any]:
    everything = [" ".join(library.visible(name)) for name in _WALKED]
    return {
        "name": source.name,
        "its directory": str(source.directory),
        "its protocol": source.protocol,
        "what is asked of TLC": source.tlc,
        "its lines": content_of(source.directory),
        **_tlc(tools, meaning_of(library, _WALKED, everything)),
    }


def module_jobs(sources: Iterable[ModuleModel], library: Library, tools: Tools) -> list[ModuleJob]:
    """Return the jobs that check modules with their own configurations. Raises ToolError when SANY cannot be run."""
    return [_module_job(source, library, tools) for source in sources]


def _module_job(source: ModuleModel, library: Library, tools: Tools) -> ModuleJob:
    return ModuleJob(_named("module", _module_content(source, tools)), source)


def _module_content(source: ModuleModel, tools: Tools) -> dict[str, Any]:
    """Return all that the result depends on: the texts, since rows name lines of them; or the error in reading them."""
    asked = {
        "name": source.name,
        "its properties": source.properties,
        "whether it is strict": source.strict,
        "its budget": asdict(source.budget),
    }
    try:
        model = source.read()
    except SpecError as error:
        return {**asked, "what is wrong with it": str(error), **_tlc(tools, {})}
    needed = model.library.closure(model.module, instances=True)
    return {
        **asked,
        "its configuration": asdict(model.config),
        "its constants": model.definitions,
        **_tlc(tools, {module.path.name: module.text for module in needed}),
    }


def _tlc(tools: Tools, meaning: Mapping[str, str]) -> dict[str, Any]:
    """Return the inputs of TLC's result beside the model's own text: the meaning of that text, TLC and Java."""
    return {"meaning": meaning, "TLC": tools.jar_sha256, "Java": tools.java_version}


def _named(kind: str, content: Mapping[str, Any]) -> str:
    """Return the id of a job of this kind: a digest of its ``content``, our own code, and the versions that run it."""
    inputs = {**content, "kind": kind, "code": code_digest(*CODE), "version": __version__, **_made_with()}
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:24]


@cache
def _made_with() -> dict[str, str]:
    """Return the versions of Python and of the packages of others that this process runs on."""
    return {"python": platform.python_version()} | {name: version(name) for name in RUNS_ON}
