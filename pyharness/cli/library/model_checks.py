"""One check of one model, of a spec on graphs that one chose or of a module with its configuration, and its result."""

from __future__ import annotations

import html
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.machine_size import default_heap
from pyharness.base.toolchain.spec_files import SPECS, find_plan, is_file, require_specs, specs_here
from pyharness.base.topology import Topology, parse_topologies, select
from pyharness.cli.library.notebook_trace import Trace
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import (
    OVERRIDES,
    checking,
    override_module,
    parse_constants,
    requested_model,
)
from pyharness.machines.explain import why
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds, check_plain, counterexample_facts
from pyharness.models.tlc_jobs import check_model
from pyharness.models.verdicts import Verdict
from pyharness.show.report.formats.data_frames import frame, topology_rows
from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.plain_model import read_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyharness.hold.conformance.comparison import Conformance
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.spec_check import CheckedSpec
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Progress


def topologies(processes: int | str | Sequence[int] | None = None, /, **keys: object) -> tuple[Topology, ...]:
    """Choose graphs: ``topologies(3)``, ``topologies("ring:4")``, ``topologies(family="ring", processes=4)``.

    A text is the notation of :mod:`pyharness.base.topology.notation`, and stands alone.

    The keys are those of :mod:`pyharness.base.topology.select`. Raises SpecError for a key or a value that is wrong.
    """
    if isinstance(processes, str):
        if keys:
            raise SpecError(
                f"a notation takes no selection, but there is {', '.join(keys)}", where="topologies"
            )
        return tuple(parse_topologies(processes))
    return tuple(select(keys if processes is None else {"processes": processes, **keys}))


NO_VIOLATION: Final = "no violation"
"""The verdict on a model that TLC checked completely; the gate asks for more before a pass."""

_SECONDS: Final = 3600
"""Seconds for TLC to check a module, unless others are given."""


@dataclass(frozen=True, repr=False)
class Check:
    """The result of checking one model: of a spec on ``topologies``, or of a module, which has none.

    ``evidence`` has the verdict and all that it rests on, ``model`` is the module and the configuration that TLC was given,
    ``overrides`` the formulas in place of operators of the spec, and ``trace`` the counterexample, if there is one.

    It is true if there is no violation, and only then, so that ``assert pyharness.check(...)`` is right.
    """

    spec: str
    model: PlainModel
    evidence: CheckedSpec
    mutant: str | None = None
    topologies: tuple[Topology, ...] = ()
    trace: Trace | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.evidence.verdict is Verdict.PASS

    @property
    def verdict(self) -> str:
        """``"no violation"``, ``"violation"``, ``"incomplete"``, ``"spec error"`` or ``"error"``.

        The first means that TLC reached every state of the model, took every action, evaluated every invariant and
        found no violation; a run that was cut off, or bounded in depth, is incomplete. It is not called a pass:
        ``pyharness check`` of a plan asks for more, such as pinned counts.
        """
        return NO_VIOLATION if self else self.evidence.verdict.text

    @property
    def reason(self) -> str:
        """Why the verdict is not the first."""
        return self.evidence.reason

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of all that is checked, invariants first."""
        return self.model.checked

    @property
    def states(self) -> int | None:
        """The number of distinct states, if TLC printed it."""
        return self.evidence.result.distinct

    @property
    def seconds(self) -> float | None:
        """The wall time of TLC's run that decided."""
        return self.evidence.result.seconds

    @property
    def violated(self) -> str | None:
        """The property that was violated first, if one was."""
        return self.evidence.violated

    @property
    def why(self) -> str | None:
        """Why the property is violated, in one sentence, if it is known."""
        if self.trace is None or self.violated is None or not self.topologies:
            return None
        return why(self.violated, self.trace.behaviour, self.trace.meta)

    @property
    def heading(self) -> str:
        """The name of the model: spec, mutant, overrides and graphs, or module and configuration."""
        if not self.topologies:
            return self.model.heading
        name = f"{self.spec}:{self.mutant}" if self.mutant else self.spec
        name += "".join(f", {operator} = {value}" for operator, value in self.overrides.items())
        more = len(self.topologies) - 4
        graphs = ", ".join(topology.id for topology in self.topologies[:4])
        return f"{name} on {graphs}{f' and {more} more' if more > 0 else ''}"

    def __repr__(self) -> str:
        by = f" of {self.violated}" if self.violated else ""
        after = f" after {len(self.trace)} states" if self.trace else ""
        facts = [f"{self.verdict}{by}{after}"]
        facts += [] if self.states is None else [f"{self.states:,} distinct states"]
        return f"<Check of {self.heading}: {'; '.join(facts)}>"

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

    def _repr_html_(self) -> str:
        picture = "" if self.trace is None else self.trace._repr_html_()
        words = "".join(f"<p>{html.escape(text)}</p>" for text in (repr(self)[1:-1], self.why) if text)
        return f"{words}{picture}"


def check(
    spec: str | Path,
    *,
    topology: str | Topology | Iterable[str | Topology] | None = None,
    items: int | None = None,
    mutant: str | None = None,
    overrides: Mapping[str, str] | None = None,
    properties: Sequence[str] | None = None,
    constants: Mapping[str, int | str] | Sequence[str] | None = None,
    config: Path | None = None,
    libraries: Sequence[Path] = (),
    seconds: int | None = None,
    strict: bool = False,
    plan: str = "quick",
    specs: str | Path | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Check:
    """Check one model with TLC: of a spec, by its name, or of any module, by its file ``FOO.tla``.

    Of a spec it is the first model of ``plan`` (a name, or a file) about ``spec`` and ``mutant`` that checks all of
    ``properties``, changed by the other arguments: ``topology`` is a notation such as ``ring:3``, a topology, or
    several of them, ``items`` are 1 to 9, ``constants`` some of those that the model has. Of a spec that the plan does
    not have, its theorems are checked. ``specs`` is a directory of your own modules, which extends the shipped ones.
    Of a ``mutant`` the property is asked first that it is known for, the first that the plan names; if that holds, all.
    ``overrides`` makes a bug on the spot: ``{"MayTake": "TRUE"}`` takes ``TRUE`` for the spec's operator.

    Of a module ``config`` is the configuration, by default that beside it, and ``libraries`` are directories of further
    modules; ``constants`` may be texts, ``NAME=VALUE``.

    ``seconds`` are the most that TLC may take. If it is ``strict``, an action that is never taken, a premise that is
    never reached, or a definition that is replaced makes it incomplete. ``progress`` is given TLC's progress.

    Raises SpecError for what does not exist or does not fit, ToolError when Java or TLC is missing.
    """
    if is_module_file(spec):
        asked = {
            "topologies": topology,
            "items": items,
            "mutant": mutant,
            "overrides": overrides,
            "properties": properties,
            "constants": _texts(constants),
        }
        module = asked_model(Path(spec), "check", config=config, libraries=libraries, asked=asked)
        bounds = Bounds(seconds or _SECONDS, default_heap(), workers)
        found = check_plain(module, find_tools(), bounds, progress, again=True)
        found = found.strictly() if strict else found
        return Check(module.module, module, found, trace=_trace(found, counterexample_facts(module, found)))
    spec = str(spec)
    if mutant is not None and overrides:
        raise SpecError("a mutant is overrides already", where="overrides", hint="give one of the two")
    if config or libraries:
        raise SpecError("a configuration and libraries are of the file of a module: FOO.tla", where=spec)
    directory = specs_here() if specs is None else require_specs(Path(specs).resolve())
    read = read_plan(find_plan(plan, directory), directory)
    model = requested_model(
        spec,
        read,
        topologies=_graphs(topology),
        mutant=mutant,
        overridden=bool(overrides),
        properties=properties,
        constants=parse_constants(_texts(constants)) or None,
        items=items,
        seconds=seconds,
    )
    one = _OnGraphs(read.library, find_tools(directory), workers, strict, overrides or {}, progress)
    if properties is None and mutant is not None and model.caught_by:
        known = one.check(checking(model, read.library, model.caught_by[:1]))
        if known.evidence.verdict is Verdict.VIOLATION:
            return known
    return one.check(model)


@dataclass(frozen=True)
class _OnGraphs:
    """The check of a spec's models, with ``overrides``."""

    library: Library
    tools: Tools
    workers: int
    strict: bool
    overrides: Mapping[str, str]
    progress: Callable[[Progress], None] | None

    def check(self, model: Model) -> Check:
        library, budget = self.library, model.budget
        bounds = Bounds(budget.seconds, budget.heap_mb, self.workers, budget.cpu_seconds)
        with tempfile.TemporaryDirectory(prefix="pyharness-check-") as directory:
            place = Path(directory)
            if self.overrides:
                text = override_module(library, model.spec, self.overrides)
                (place / f"{OVERRIDES}.tla").write_text(text, encoding="utf-8")
                library = Library(place, *library.directories)
            again = self.strict or not model.comparable  # else Python's own states are compared, in a gate
            own = replace(model, conform=False)
            plain, found = check_model(own, library, self.tools, place, bounds, self.progress, again=again)
        depth = found.result.depth
        if (
            found.verdict is Verdict.PASS
            and model.depth is not None
            and (depth or model.depth) >= model.depth
        ):
            reason = f"no violation in the first {model.depth} states; nothing beyond was looked at"
            found = replace(found, verdict=Verdict.INCOMPLETE, reason=reason)
        if self.strict or model.mutant is None:  # a bug may keep an action from being taken
            found = found.strictly(premises=self.strict)
        mutant = None if self.overrides else model.mutant
        changed = ", ".join(f"{name} = {value}" for name, value in self.overrides.items())
        subject = f"{mutant}, a mutant of {model.spec}" if mutant else model.spec
        subject += f" with {changed}" if changed else ""
        name = found.violated
        title = f"{subject}: {name} is violated" if name else f"{subject}: {found.result.outcome.value}"
        facts = {**model.trace_facts(title, name), "mutant": mutant}
        facts |= {"overrides": dict(self.overrides)} if self.overrides else {}
        graphs = model.topologies
        return Check(model.spec, plain, found, mutant, graphs, _trace(found, facts), dict(self.overrides))


def _trace(checked: CheckedSpec, facts: Mapping[str, Any]) -> Trace | None:
    """Return the behaviour that violates something, with ``facts`` for its document; ``None`` without one."""
    if checked.verdict is not Verdict.VIOLATION or checked.result.trace is None:
        return None
    return Trace(checked.result.trace, facts)


def _texts(constants: Mapping[str, int | str] | Sequence[str] | None) -> list[str]:
    if isinstance(constants, dict):
        return [f"{name}={value}" for name, value in constants.items()]
    return list(constants or ())


# -- modules -----------------------------------------------------------------------------------------------------------

_OF_GRAPHS: Final = {"topologies": "topology", "items": "items", "mutant": "mutant", "overrides": "override"}


def is_module_file(name: str | Path) -> bool:
    """Return whether a name is that of a module's file."""
    return str(name).endswith(".tla")


def require_no_shipped(path: Path, command: str) -> None:
    """Require that a file is not one of the shipped specs, which are about graphs. Raises SpecError."""
    shipped = SPECS / path.name
    if is_file(shipped) and (not is_file(path) or path.samefile(shipped)):
        raise SpecError(
            f"{path} is a spec of graphs", hint=f"name the module: pyharness {command} {path.stem}"
        )


def asked_model(
    path: Path, command: str, *, config: Path | None, libraries: Sequence[Path], asked: Mapping[str, Any]
) -> PlainModel:
    """Read the model in a file that a ``command`` is asked for, by the options of one model.

    Raises SpecError for options of a spec about graphs, and for what does not exist or cannot be read.
    """
    require_no_shipped(path, command)
    for key, option in _OF_GRAPHS.items():
        if asked.get(key):
            hint = f"{path.name} has no graphs: leave out --{option}"
            raise SpecError(f"--{option} is of a spec about graphs, by its name", where=str(path), hint=hint)
    model = read_model(path, config, constants=asked["constants"], libraries=libraries)
    return model.only(asked["properties"]) if asked["properties"] else model


# -- comparisons -------------------------------------------------------------------------------------------------------


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

    Raises SpecError for a spec that cannot be compared, IncompleteError when TLC's graph is not complete.
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


def to_pandas(things: Iterable[Check | Topology]) -> Any:
    """Return a data frame with a row for each of some checks, or of some topologies."""
    rows: list[dict[str, Any]] = []
    for thing in things:
        rows += [thing.row()] if isinstance(thing, Check) else topology_rows([thing])
    return frame(rows)
