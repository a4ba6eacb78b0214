"""The run of TLC that writes the state graph of a model, and the digest of all that the graph depends on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.models.tlc_runs import is_small, tlc_run
from pyharness.tla.tlc import run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Progress, Result


def write_graph(
    model: Model, library: Library, tools: Tools, dump: Path, say: Callable[[str], None] | None = None
) -> Result:
    """Run TLC on a model without its properties, so that nothing stops it, and let it write its graph to ``dump``."""
    run = replace(
        tlc_run(model.unchecked.render(library, watched=True), model, tools, dump.parent),
        dump=dump,
        quick_jvm=is_small(model, len(model.topologies)),
    )

    def note(now: Progress) -> None:
        if say:
            say(f"TLC: {now.distinct or 0:,} states, {now.queue or 0:,} on the queue")

    return run_tlc(run, on_progress=note)
