"""One run of TLC on the root of a model, in a directory of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.tla.plain_models.plain_model import ROOT, TOOLS_PLACE
from pyharness.tla.tlc import TlcRun, run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyharness.models.machine_tools import Tools
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Progress, Result


def run_root(
    model: PlainModel,
    tools: Tools,
    work: Path,
    texts: tuple[str, str],
    *,
    output: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Result:
    """Write ``texts``, the root and its configuration, into the directory ``work``, and run TLC there.

    ``settings`` are those of :class:`~pyharness.tla.tlc.TlcRun`, such as its ``timeout``. Raises what
    :func:`~pyharness.tla.tlc.run_tlc` raises.
    """
    for suffix, text in zip(("tla", "cfg"), texts, strict=True):
        (work / f"{ROOT}.{suffix}").write_text(text, encoding="utf-8")
    run = TlcRun(
        java=tools.java,
        jar=tools.jar,
        directory=work,
        module=ROOT,
        libraries=(TOOLS_PLACE, *model.library.directories),
        jvm_options=tools.jvm_options,
        **settings,
    )
    return run_tlc(run, output=output, on_progress=on_progress)
