"""One check of one model, and its result."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.library.graphs import Topologies
from pyharness.library.notebook_trace import Trace
from pyharness.plan.model import Budget
from pyharness.plan.plan import read_plan
from pyharness.report.formats.data_frames import frame, topology_rows
from pyharness.run.machine_tools import find_tools
from pyharness.run.single_model import check_model, find_model
from pyharness.run.verdicts import Verdict
from pyharness.systems import APPLICATIONS
from pyharness.toolchain.spec_files import find_plan, specs_here
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.conformance.comparison import Conformance
    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library
    from pyharness.run.single_model import CheckedModel

__all__ = ["NO_VIOLATION", "Check", "check", "conform", "to_pandas"]

NO_VIOLATION: Final = "no violation"
"""The verdict on a model that TLC checked completely; the gate would ask for more before it says pass."""


@dataclass(frozen=True, repr=False)
class Check:
    """What TLC made of one model.

    ``verdict`` is ``"no violation"``, ``"violation"``, ``"incomplete"``, ``"spec error"`` or ``"error"``, and
    ``reason`` says why it is not the first. That says that TLC reached every state of the model, took every action,
    evaluated every invariant and found no violation; a run that was cut off, or bounded in depth, is incomplete. It
    is not called a pass: ``pyharness check`` asks for more, such as pinned counts and no vacuity.

    ``states`` are distinct ones, ``seconds`` wall time. ``violated`` is the property that was violated first, and
    ``trace`` the counterexample; each is ``None`` where there is none.
    """

    spec: str
    mutant: str | None
    topologies: Topologies
    properties: tuple[str, ...]
    verdict: str
    reason: str
    states: int | None
    seconds: float | None
    violated: str | None
    trace: Trace | None

    def __repr__(self) -> str:
        name = f"{self.spec}:{self.mutant}" if self.mutant else self.spec
        graphs = f"{len(self.topologies)} graph{'s'[: len(self.topologies) > 1]}"
        by = f" of {self.violated}" if self.violated else ""
        after = f" after {len(self.trace)} states" if self.trace else ""
        said = [f"{self.verdict}{by}{after}"]
        said += [] if self.states is None else [f"{self.states:,} distinct states"]
        return f"<Check of {name} on {graphs}: {'; '.join(said)}>"

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table, with the topologies' ids and the length of the trace."""
        return {
            "spec": self.spec,
            "mutant": self.mutant,
            "topologies": [topology.id for topology in self.topologies],
            "verdict": self.verdict,
            "violated": self.violated,
            "length": len(self.trace) if self.trace else None,
            "states": self.states,
            "seconds": self.seconds,
            "reason": self.reason,
        }

    def to_pandas(self) -> Any:
        """Return a data frame of one row; for several checks, see :func:`to_pandas`."""
        return to_pandas([self])

    def _repr_html_(self) -> str:
        picture = "" if self.trace is None else self.trace._repr_html_()
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{picture}"


def check(
    spec: str,
    *,
    topology: str | Topology | Iterable[str | Topology] | None = None,
    items: int | None = None,
    mutant: str | None = None,
    properties: Sequence[str] | None = None,
    constants: Mapping[str, int | str] | None = None,
    seconds: int | None = None,
    plan: str = "quick",
) -> Check:
    """Check one model with TLC.

    It is the first model of ``plan`` (a name, or a file) about ``spec`` and ``mutant`` that checks all of
    ``properties``, changed as the other arguments say: ``topology`` is an id, a topology or several of them,
    ``items`` are 1 to 9, ``constants`` some of those that the model has, ``seconds`` the most that TLC may take.

    Raises SpecError for what does not exist or does not fit, ToolError when Java or TLC is missing.
    """
    model, library = _model(spec, mutant, properties, plan)
    model = _changed(model, topology, items, constants, seconds)
    return _told(model, check_model(model, library, find_tools(specs_here())))


def conform(
    spec: str,
    *,
    topology: str | Topology | Iterable[str | Topology] | None = None,
    items: int | None = None,
    mutant: str | None = None,
    constants: Mapping[str, int | str] | None = None,
    seconds: int | None = None,
    plan: str = "quick",
) -> Conformance:
    """Compare the implementation of ``spec``, or its ``mutant``, with TLC's state graph, both ways.

    The arguments are those of :func:`check`; the result is a :class:`pyharness.conformance.comparison.Conformance`.

    Raises SpecError for a spec that cannot be compared, IncompleteError when TLC's graph is not whole.
    """
    from pyharness.conformance.comparison import conform_model  # noqa: PLC0415 - only this needs it

    model, library = _model(spec, None, None, plan)
    model = _changed(model, topology, items, constants, seconds)
    return conform_model(model, library, find_tools(specs_here()), implementation=mutant)


def _model(
    spec: str, mutant: str | None, properties: Sequence[str] | None, plan: str
) -> tuple[Model, Library]:
    read = read_plan(find_plan(plan), specs_here())
    model = find_model(read, spec, mutant, properties)
    if properties is not None:
        model = replace(
            model,
            invariants=tuple(name for name in model.invariants if name in properties),
            properties=tuple(name for name in model.properties if name in properties),
        )
    return model, read.library


def _changed(
    model: Model,
    topology: str | Topology | Iterable[str | Topology] | None,
    items: int | None,
    constants: Mapping[str, int | str] | None,
    seconds: int | None,
) -> Model:
    if topology is not None:
        given = [topology] if isinstance(topology, str | Topology) else list(topology)
        graphs = tuple(dict.fromkeys(t if isinstance(t, Topology) else Topology.from_id(t) for t in given))
        if not graphs:
            raise SpecError("no topology is given, so nothing would be checked", where="topology")
        model = replace(model, topologies=graphs)
    if items is not None:
        if not APPLICATIONS[model.application].items:
            raise SpecError(f"{model.spec} has records", where="items", hint='say constants={"Records": 2}')
        if type(items) is not int or not 1 <= items <= 9:
            raise SpecError(f"must be a number from 1 to 9, not {items!r}", where="items")
        model = replace(model, items=items)
    if constants:
        known = {**model.defaults, **model.constants}
        for name in constants:
            if name not in known:
                hint = f"it has {', '.join(known) or 'none'}"
                raise SpecError(f"{model.spec} has no constant {name!r}", where="constants", hint=hint)
        model = replace(model, constants={**model.constants, **constants})
    if seconds is not None:
        if type(seconds) is not int or seconds < 1:
            raise SpecError(f"must be a number from 1 on, not {seconds!r}", where="seconds")
        model = replace(model, budget=Budget(seconds, model.budget.heap_mb))
    return model


def _told(model: Model, checked: CheckedModel) -> Check:
    result, violated = checked.result, checked.violated
    trace = None
    if checked.verdict is Verdict.VIOLATION and result.trace is not None:
        what = f"{model.mutant}, a mutant of {model.spec}" if model.mutant else model.spec
        meta = {
            "title": f"{what}: {violated or result.outcome.value}" + (" is violated" if violated else ""),
            "spec": model.spec,
            "mutant": model.mutant,
            "violated": violated,
            "granularity": model.granularity,
            **model.setting,
        }
        trace = Trace(result.trace, meta)
    return Check(
        spec=model.spec,
        mutant=model.mutant,
        topologies=Topologies(model.topologies),
        properties=(*model.invariants, *model.properties),
        verdict=NO_VIOLATION if checked.verdict is Verdict.PASS else checked.verdict.text,
        reason=checked.reason,
        states=result.distinct,
        seconds=result.seconds,
        violated=violated,
        trace=trace,
    )


def to_pandas(things: Iterable[Check | Topology]) -> Any:
    """Return a data frame with a row for each of some checks, or of some topologies."""
    rows: list[dict[str, Any]] = []
    for thing in things:
        rows += [thing.row()] if isinstance(thing, Check) else topology_rows([thing])
    return frame(rows)
