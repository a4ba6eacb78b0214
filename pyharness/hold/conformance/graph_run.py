"""The run of TLC that writes the state graph of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.tlc_runs import is_small
from pyharness.models.tlc_verdict import require_success

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Progress, Result


def write_graph(
    model: Model, library: Library, tools: Tools, dump: Path, progress: Callable[[str], None] | None = None
) -> Result:
    """Run TLC on a model without its properties, so that nothing stops it, and let it write its graph to ``dump``.

    ``progress`` gets lines. Raises IncompleteError when TLC does not finish, SpecError or ToolError for model or machine.
    """

    def note(now: Progress) -> None:
        if progress:
            progress(f"TLC: {now.distinct or 0:,} states, {now.queue or 0:,} on the queue")

    result = run_texts(
        model.unchecked.render(library, watched=True),
        tools,
        dump.parent,
        on_progress=note,
        **budget_of(model),
        dump=dump,
        quick_jvm=is_small(model),
    )
    require_success(result, model.name, "take fewer items, a smaller graph or a depth")
    return result
