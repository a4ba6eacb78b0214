"""Run TLC on the texts of a module and its configuration, in a directory of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.models.render import Rendered
from pyharness.tla.plain_models.plain_model import ROOT, TOOLS_PLACE
from pyharness.tla.tlc import TlcRun, run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Progress, Result


def run_texts(
    rendered: Rendered,
    tools: Tools,
    work: Path,
    *,
    libraries: tuple[Path, ...] | None = None,
    output: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Result:
    """Write a module and its configuration into the directory ``work``, and run TLC there.

    ``libraries`` are the directories of further modules, by default those of the ``tools``; ``settings`` are those of
    :class:`~pyharness.tla.tlc.TlcRun`, such as its ``timeout``. Raises what :func:`~pyharness.tla.tlc.run_tlc` raises.
    """
    for suffix, text in (("tla", rendered.tla), ("cfg", rendered.cfg)):
        (work / f"{rendered.module}.{suffix}").write_text(text, encoding="utf-8")
    run = TlcRun(
        java=tools.java,
        jar=tools.jar,
        directory=work,
        module=rendered.module,
        libraries=tools.specs if libraries is None else libraries,
        jvm_options=tools.jvm_options,
        **settings,
    )
    return run_tlc(run, output=output, on_progress=on_progress)


def run_root(model: PlainModel, tools: Tools, work: Path, texts: tuple[str, str], **settings: Any) -> Result:
    """Run TLC on the root of a model, whose ``texts`` are the module and the configuration: see :func:`run_texts`."""
    libraries = (TOOLS_PLACE, model.path.parent, *model.library.directories)
    return run_texts(Rendered(ROOT, *texts), tools, work, libraries=libraries, **settings)


def budget_of(model: Model) -> dict[str, Any]:
    """Return the settings of a run within the budget of a model."""
    budget = model.budget
    return {"heap_mib": budget.heap_mb, "timeout": budget.seconds, "cpu_seconds": budget.cpu_seconds}
