"""One check of one model on graphs that one chose, and its result."""

from __future__ import annotations

import html
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import find_plan, require_specs, specs_here
from pyharness.base.topology import Topology, parse_topologies, select
from pyharness.cli.library.notebook_trace import Trace
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import OVERRIDES, checking, override_module, requested_model
from pyharness.machines.explain import why
from pyharness.models.machine_tools import find_tools
from pyharness.models.single_model import check_model
from pyharness.models.verdicts import Verdict
from pyharness.show.report.formats.data_frames import frame, html_table, topology_rows
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyharness.hold.conformance.comparison import Conformance
    from pyharness.models.model import Model
    from pyharness.models.single_model import CheckedModel
    from pyharness.tla.tlc import Progress


class Topologies(tuple[Topology, ...]):
    """Some topologies: a tuple that can be shown as a table."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each: ``id``, ``processes``, ``channels``, ``initiators``."""
        return frame(topology_rows(self))

    def _repr_html_(self) -> str:
        return html_table(topology_rows(self))


def topologies(processes: int | str | Sequence[int] | None = None, /, **keys: object) -> Topologies:
    """Choose graphs: ``topologies(3)``, ``topologies("ring:4")``, ``topologies(family="ring", processes=4)``.

    A text is the notation of :mod:`pyharness.base.topology.notation`, and stands alone.

    The keys are those of :mod:`pyharness.base.topology.select`. Raises SpecError for a key or a value that is wrong.
    """
    if isinstance(processes, str):
        if keys:
            raise SpecError(
                f"a notation takes no selection, but there is {', '.join(keys)}", where="topologies"
            )
        return Topologies(parse_topologies(processes))
    table = keys if processes is None else {"processes": processes, **keys}
    return Topologies(select(table))


NO_VIOLATION: Final = "no violation"
"""The verdict on a model that TLC checked completely; the gate would ask for more before it says pass."""


@dataclass(frozen=True, repr=False)
class Check:
    """What TLC made of one model.

    ``verdict`` is ``"no violation"``, ``"violation"``, ``"incomplete"``, ``"spec error"`` or ``"error"``, and
    ``reason`` says why it is not the first. That says that TLC reached every state of the model, took every action,
    evaluated every invariant and found no violation; a run that was cut off, or bounded in depth, is incomplete. It
    is not called a pass: ``pyharness check`` asks for more, such as pinned counts and no vacuity.

    It is true if there is no violation, and only then: ``assert pyharness.check(...)`` says what it seems to.

    ``overrides`` are what stood in for operators of the spec.

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
    overrides: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.verdict == NO_VIOLATION

    @property
    def why(self) -> str | None:
        """Why the property is violated, in one sentence, where that can be told."""
        if self.trace is None or self.violated is None:
            return None
        return why(self.violated, self.trace.behaviour, self.trace.meta)

    def __repr__(self) -> str:
        name = f"{self.spec}:{self.mutant}" if self.mutant else self.spec
        name += "".join(f", {operator} = {value}," for operator, value in self.overrides.items())
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
        said = "".join(f"<p>{html.escape(text)}</p>" for text in (repr(self)[1:-1], self.why) if text)
        return f"{said}{picture}"


def check(
    spec: str,
    *,
    topology: str | Topology | Iterable[str | Topology] | None = None,
    items: int | None = None,
    mutant: str | None = None,
    overrides: Mapping[str, str] | None = None,
    properties: Sequence[str] | None = None,
    constants: Mapping[str, int | str] | None = None,
    seconds: int | None = None,
    plan: str = "quick",
    specs: str | Path | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Check:
    """Check one model with TLC.

    It is the first model of ``plan`` (a name, or a file) about ``spec`` and ``mutant`` that checks all of
    ``properties``, changed as the other arguments say: ``topology`` is a notation such as ``ring:3``, a topology, or
    several of them, ``items`` are 1 to 9, ``constants`` some of those that the model has, ``seconds`` the most that TLC
    may take. Of a spec that the plan does not have, its theorems are checked. ``specs`` is a directory of your own
    modules, which extends the shipped ones.

    Of a ``mutant`` the property is asked first that it is known for, the first that the plan names; if that holds, all.

    ``overrides`` makes a bug on the spot: ``{"MayTake": "TRUE"}`` takes ``TRUE`` for the spec's operator. ``progress``
    is told how far TLC is.

    Raises SpecError for what does not exist or does not fit, ToolError when Java or TLC is missing.
    """
    if mutant is not None and overrides:
        raise SpecError("a mutant is overrides already", where="overrides", hint="give one of the two")
    directory = specs_here() if specs is None else require_specs(Path(specs).resolve())
    read = read_plan(find_plan(plan, directory), directory)
    model = requested_model(
        spec,
        read,
        topologies=_graphs(topology),
        mutant=mutant,
        overridden=bool(overrides),
        properties=properties,
        constants=constants,
        items=items,
        seconds=seconds,
    )
    tools = find_tools(directory)
    if properties is None and mutant is not None and model.caught_by:
        known = checking(model, read.library, model.caught_by[:1])
        checked = check_model(known, read.library, tools, progress, workers)
        if checked.verdict is Verdict.VIOLATION:
            return _told(known, checked)
    if not overrides:
        return _told(model, check_model(model, read.library, tools, progress, workers))
    with tempfile.TemporaryDirectory(prefix="pyharness-overrides-") as own:
        text = override_module(read.library, spec, overrides)
        (Path(own) / f"{OVERRIDES}.tla").write_text(text, encoding="utf-8")
        library = Library(Path(own), *read.library.directories)
        tools = replace(tools, specs=(Path(own), *tools.specs))
        checked = check_model(model, library, tools, progress, workers)
        return _told(model, replace(checked, reason=checked.reason.replace(f"{own}/", "")), overrides)


def conform(
    spec: str,
    *,
    topology: str | Topology | Iterable[str | Topology] | None = None,
    items: int | None = None,
    mutant: str | None = None,
    constants: Mapping[str, int | str] | None = None,
    seconds: int | None = None,
    plan: str = "quick",
    specs: str | Path | None = None,
) -> Conformance:
    """Compare the implementation of ``spec``, or its ``mutant``, with TLC's state graph, both ways.

    The arguments are those of :func:`check`; the result is a :class:`pyharness.hold.conformance.comparison.Conformance`.

    Raises SpecError for a spec that cannot be compared, IncompleteError when TLC's graph is not whole.
    """
    from pyharness.hold.conformance.comparison import conform_model  # noqa: PLC0415 - only this needs it

    directory = specs_here() if specs is None else require_specs(Path(specs).resolve())
    read = read_plan(find_plan(plan, directory), directory)
    model = requested_model(
        spec, read, topologies=_graphs(topology), items=items, constants=constants, seconds=seconds
    )
    return conform_model(model, read.library, find_tools(directory), implementation=mutant)


def _graphs(topology: str | Topology | Iterable[str | Topology] | None) -> tuple[Topology, ...]:
    if topology is None:
        return ()
    given = [topology] if isinstance(topology, str | Topology) else list(topology)
    if not given:
        raise SpecError("no topology is given, so nothing would be checked", where="topology")
    graphs = (g for t in given for g in ([t] if isinstance(t, Topology) else parse_topologies(t)))
    return tuple(dict.fromkeys(graphs))


def _told(model: Model, checked: CheckedModel, overrides: Mapping[str, str] | None = None) -> Check:
    result, violated = checked.result, checked.violated
    trace = None
    if checked.verdict is Verdict.VIOLATION and result.trace is not None:
        changed = ", ".join(f"{name} = {value}" for name, value in (overrides or {}).items())
        mutant = None if overrides else model.mutant
        what = f"{mutant}, a mutant of {model.spec}" if mutant else model.spec
        what += f" with {changed}" if changed else ""
        meta = {
            "title": f"{what}: {violated or result.outcome.value}" + (" is violated" if violated else ""),
            "spec": model.spec,
            "mutant": mutant,
            **({"overrides": dict(overrides)} if overrides else {}),
            "violated": violated,
            "granularity": model.granularity,
            **model.setting,
        }
        trace = Trace(result.trace, meta)
    return Check(
        spec=model.spec,
        mutant=None if overrides else model.mutant,
        overrides=dict(overrides or {}),
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
