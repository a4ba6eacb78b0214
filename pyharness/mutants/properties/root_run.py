"""One run of TLC on the root of a model with lines of our own: what it printed, and the lines at which it failed."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.models.text_run import run_root
from pyharness.tla.plain_models.plain_model import ROOT
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.tla.plain_models.config_file import ConfigFile
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Result


class RootRun(NamedTuple):
    """The ``result`` of a run, the lines of TLC's ``output``, the number of each line of the root, and the graph."""

    result: Result
    output: list[str]
    of_line: dict[int, int]
    dump: Path

    def refused(self) -> set[int]:
        """Return the numbers of the lines that SANY refuses."""
        if self.result.outcome is not Outcome.PARSE_ERROR:
            return set()
        lines = {each.line for each in spec_problems(self.result.complaint) if each.module == ROOT}
        return {number for line, number in self.of_line.items() if line in lines}


@contextmanager
def run_lines(
    model: PlainModel,
    tools: Tools,
    config: ConfigFile,
    lines: Sequence[str],
    of_line: Mapping[int, int],
    *,
    dump: bool = False,
    beside: Mapping[str, str] | None = None,
    **settings: Any,
) -> Iterator[RootRun]:
    """Run TLC on a model's root with further ``lines``, under a configuration; the graph is gone afterwards.

    ``of_line`` has numbers by the places of lines. ``beside`` are texts of further files, by their names; ``settings`` are
    those of :class:`~pyharness.tla.tlc.TlcRun`, such as its ``timeout``.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-mutants-") as directory:
        work = Path(directory)
        for name, text in (beside or {}).items():
            (work / name).write_text(text, encoding="utf-8")
        root, output, graph = model.root(*lines), work / "output.txt", work / "graph.dot"
        texts = (root, config.text())
        result = run_root(model, tools, work, texts, output=output, dump=graph if dump else None, **settings)
        shift = root[: root.index(lines[0])].count("\n") + 1 if lines else 0
        yield RootRun(
            result,
            output.read_text(encoding="utf-8", errors="replace").splitlines(),
            {place + shift: number for place, number in of_line.items()},
            graph,
        )
