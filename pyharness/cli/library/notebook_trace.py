"""A trace: drawn, written, replayed, reordered."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.own_files import write_named
from pyharness.gate.jobs.reordering_rows import itf_document_of
from pyharness.machines.replay import replay as replay_trace
from pyharness.machines.replay.reorder import reorder as reorder_trace
from pyharness.models.trace_system import coloured_system, read_behaviour, system_for, topology_of
from pyharness.show.report.formats.data_frames import frame, step_rows
from pyharness.show.report.formats.export_formats import written
from pyharness.show.report.trace.reordering_text import reordering_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.base.topology import Topology
    from pyharness.machines.replay import Replay
    from pyharness.machines.replay.reorder import Reordering
    from pyharness.tla.tlc import Trace as Behaviour

ENDINGS = {".html": "html", ".itf.json": "itf", ".svg": "svg", ".txt": "text"}
"""The format of a file by the ending of its name."""


@dataclass(frozen=True, repr=False)
class Trace:
    """A behaviour, with the facts of its document.

    ``behaviour`` has the steps; ``meta`` has ``title``, ``spec``, ``mutant``, ``violated`` and others, where they
    are known. A notebook shows it as a space-time diagram.
    """

    behaviour: Behaviour
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.behaviour)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} states: {self.title}>"

    @property
    def title(self) -> str:
        """The title of the trace, "a behaviour" if its document has none."""
        title = self.meta.get("title")
        return title if isinstance(title, str) else "a behaviour"

    @property
    def violated(self) -> str | None:
        """The property that it is a counterexample to."""
        name = self.meta.get("violated")
        return name if isinstance(name, str) else None

    @property
    def topology(self) -> Topology:
        """The graph that it is on. Raises SpecError for a trace without the variable ``topo``."""
        return topology_of(self.behaviour, where="the trace")

    def to(self, name: str) -> str:
        """Write it in a format of :data:`pyharness.show.report.formats.export_formats.FORMATS`.

        Raises SpecError for a name that is not among them, and for a picture of processes without any.
        """
        return written(name, self.behaviour, self.meta)

    def to_text(self) -> str:
        """Write each step's action, and what it changed."""
        return self.to("text")

    def to_itf(self) -> str:
        """Write it as ITF JSON, with its meta."""
        return self.to("itf")

    def to_svg(self) -> str:
        """Draw it as a space-time diagram, a document that stands alone."""
        return self.to("svg")

    def save(self, path: str | Path) -> None:
        """Write it to a file, in the format of the name's ending: see :data:`ENDINGS`.

        Raises SpecError for another ending, or a place that cannot be written.
        """
        name = next((name for ending, name in ENDINGS.items() if str(path).endswith(ending)), None)
        if name is None:
            hint = f"end it in {', '.join(ENDINGS)}"
            raise SpecError("no format goes with this name", where=str(path), hint=hint)
        text = self.to(name)
        try:
            write_named(Path(path), text)
        except OSError as error:
            raise SpecError(f"cannot be written: {error.strerror}", where=str(path)) from None

    def replay(self, protocol: str | None = None) -> Replay:
        """Take every step with the implementation of ``protocol`` (``NAME`` or ``NAME:MUTANT``).

        Without ``protocol`` it is what the trace is of, with its mutant. See :class:`pyharness.machines.replay.Replay`.
        Raises SpecError when the trace names no protocol, or one that does not exist.
        """
        spec, mutant = self.meta.get("spec"), self.meta.get("mutant")
        own = f"{spec}:{mutant}" if isinstance(spec, str) and isinstance(mutant, str) else None
        return replay_trace(self.behaviour, system_for(self.behaviour, self.meta, protocol or own))

    def reorder(self, protocol: str | None = None) -> Reordered:
        """Sort its actions by swaps: all white before all red, with the recorded state between.

        It is taken by ``protocol``, or else by the correct implementation of what it is a trace of. Raises SpecError
        if its snapshot is not complete, ConformanceError if it cannot be sorted.
        """
        system = coloured_system(self.behaviour, self.meta, protocol)
        kept = ("application", "items", "placement", "constants")
        return Reordered(
            reorder_trace(self.behaviour, system), {key: self.meta[key] for key in kept if key in self.meta}
        )

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each state: ``step``, ``action``, and each variable as TLA+ text."""
        return frame(step_rows(self.behaviour))

    def _repr_html_(self) -> str:
        if "module" in self.meta:
            return f"<pre>{html.escape(self.to_text())}</pre>"
        return self.to_svg()


def read_trace(path: str | Path) -> Trace:
    """Read a trace from a file: ITF JSON, what TLC printed, or a behaviour that TLC's simulation wrote.

    Raises SpecError for a file that cannot be read, is too large, or has another format, IncompleteError for a trace that
    is cut off.
    """
    return Trace(*read_behaviour(Path(path)))


@dataclass(frozen=True, repr=False)
class Reordered:
    """A computation and the equivalent one, white before red.

    ``reordering`` has both, their states and the swaps: see :class:`pyharness.machines.replay.reorder.Reordering`.
    """

    reordering: Reordering
    setting: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        found, did = self.reordering, "occurred" if self.occurred else "never occurred"
        return f"<Reordered: {len(found.actions)} actions, swaps: {self.swaps}; the recorded state {did}>"

    @property
    def swaps(self) -> int:
        """How many swaps it took."""
        return len(self.reordering.swaps)

    @property
    def occurred(self) -> bool:
        """Whether the recorded state was one of the states that occurred."""
        return self.reordering.occurred

    @property
    def trace(self) -> Trace:
        """The equivalent computation."""
        return Trace(self.reordering.trace, itf_document_of(self.reordering, self.setting)["#meta"])

    def to_text(self) -> str:
        """Write both computations side by side, the swaps, and the states S0, SSS and S1."""
        return reordering_text(self.reordering)

    def _repr_html_(self) -> str:
        return f"{self.trace.to_svg()}<pre>{html.escape(self.to_text())}</pre>"
