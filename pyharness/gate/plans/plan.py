"""Plans: which models are checked, with which bounds, and what each must yield (TOML, a closed schema).

::

    format = "pyharness-plan/1"
    examples = true               # check the worked examples of specs/examples too
    claims = true                 # the plan must check every claim of specs/claims.toml; its properties, and
                                  # where they catch mutants, must be as pinned in specs/weakenings.toml
    budget_seconds = 1800         # wall time of the entire run; over it, the run is incomplete

    [minimums]                    # the least that a run must show; a plan with claims = true states it
    examples = 13                 # worked examples
    mutants = 90                  # mutants caught
    replays = 1500                # traces replayed
    transitions = 200000          # transitions compared
    reorderings = { chandy-lamport = 60 }     # of each model that simulates: traces reordered by a swap

    [properties]                  # named lists, for any list of properties: invariants = ["@snapshot", "OneMarker"]
    snapshot = ["TypeOK", "NoRedInWhite"]

    [[model]]
    name = "chandy-lamport"
    spec = "ChandyLamport"        # a module of specs/
    topologies = ["ring:3", { processes = 2 }]   # pyharness.base.topology.notation, and tables of pyharness.base.topology.select
    items = 2                     # items that move; default 2
    placement = "spread"          # where they begin; default spread
    granularity = "event"         # or "action"; default event
    fair = false                  # add the spec's Fairness (for termination)
    per_run = 12                  # graphs in one run of TLC, where there are too many for one; default all
    stop = "Over"                 # do not follow behaviours beyond; "" for no such bound
    application = "Items"         # or "Tasks", with constants Need, Losses and Duplicates; or "Dataflow", with Records
    predicate = "Terminated"      # what a Collection asks of its snapshot: an operator of Predicates, about Tasks
    constants = { MaxSends = 2 }  # further constants
    invariants = ["TypeOK"]
    properties = ["TurnsRedOnce"]
    silent = ["Internal"]         # actions that must not fire; every other must
    unreached = ["ChannelState"]  # witnesses (pyharness.models.witness) that must not be reached; every other must
    reached = ["CameToHold"]      # further state predicates of the spec that must hold in some state
    overrides = { MayTake = "FreeMayTake" }   # operators of the spec, and what stands in for them
    expect = "pass"               # or "violation", then caught_by names what is violated
    caught_by = ["SSSOccurs"]
    conform = true                # the implementation must have the same successors in every state
    pins = { distinct = 1, depth = 1, transitions = 2 }   # transitions where conform = true
    simulate = { traces = 100, depth = 30, seed = 1 }   # traces of TLC that Python must replay
    wander = { states = 100, seed = 1 }   # begin in states of the implementation's random walks, and go a step
    budget = { seconds = 240, heap_mb = 2048 }

    [[matrix]]                    # mutants x properties: a model for each mutant
    name = "mutants"              # the models are called mutants-late-turn, ...
    spec = "ChandyLamport"
    topologies = [{ family = "ring", processes = 2 }]   # and the other keys of a model, for all of them
    depth = 14                    # follow behaviours for this many states
    invariants = ["TypeOK", "NoRedInWhite"]
    mutants = { LateTurn = ["NoRedInWhite"] }           # modules of specs/mutants/, and all properties that catch each

    [[logs]]                      # logs of real runs (docs/reference/logs.md), which must validate
    directory = "../../runs/bank" # relative to the plan's own; name, protocol and tlc = false may be added

    [[model]]                     # any module with its own configuration, without graphs
    name = "mutex"
    module = "../Mutex.tla"       # relative to the plan's own directory; config too, default Mutex.cfg or its theorems
    pins = { distinct = 20, depth = 7, asks = "..." }    # and constants, libraries, properties, strict, expect, caught_by, budget
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.spec_files import SPECS, find_file, module_directories, stand_ins
from pyharness.base.toolchain.toml_tables import (
    FLAG,
    NAMES,
    TEXT,
    Kind,
    Table,
    are_texts,
    by_name,
    integer,
    one_of,
    parse_table,
    value,
)
from pyharness.base.topology import choose_topologies
from pyharness.gate.plans.claims import Claim, read_claims
from pyharness.gate.plans.minimums import Minimums, read_minimums
from pyharness.gate.plans.plan_logs import read_logs
from pyharness.gate.plans.plan_modules import AnyModel, ModuleModel, read_module_model
from pyharness.machines.protocols import MODES, PREDICATES
from pyharness.machines.replay.wander import Wander
from pyharness.machines.replay.worked_examples import example_names
from pyharness.machines.systems import APPLICATIONS
from pyharness.models.bounds import Budget, Pins, SimulationBudget
from pyharness.models.model import DEFAULT_APPLICATION, PREDICATES_MODULE, Model
from pyharness.models.plan_consistency import ModelChecks
from pyharness.tla.modules.library import IN_JAVA, STANDARD, Library

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pyharness.hold.logs.log_source import LogSource


MARK: Final = "@"
"""Stands before the name of a list that is meant."""

USED_IN: Final = ("invariants", "properties", "caught_by")
"""The keys of a model whose lists may name lists; so may those of a matrix's ``mutants``, which are ``caught_by``."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    found = (*names,)
    if len(set(found)) != len(found):
        raise SpecError("must be without repetitions")
    return found


_LIST: Final = value(
    "a list of names that is not empty", list, lambda given: given and are_texts(given), _distinct
)


class PropertyLists:
    """The lists of a plan by name, as its table ``properties`` gives them.

    Raises SpecError for a name that is not lower-case words joined by hyphens, and for a list that is empty, repeats a name,
    or names a list.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._lists: dict[str, tuple[str, ...]] = {}
        for name in [*table.left]:
            if not _NAME.fullmatch(name):
                raise table.error("a list is named by lower-case words joined by hyphens", name)
            self._lists[name] = table.take(name, _LIST)
            if any(word.startswith(MARK) for word in self._lists[name]):
                raise table.error("must be a list of properties, not of lists", name)
        self._unused = dict.fromkeys(self._lists)

    def expand(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return ``names`` with the properties of each list in the place of its name.

        Raises SpecError for a list that is not there, and for a property that comes twice.
        """
        return _distinct(name for given in names for name in self._meant(given))

    def require_use(self) -> None:
        """Raise SpecError for a list that was never meant."""
        for name in self._unused:
            raise self._table.error("no model uses this list", name, f'say "{MARK}{name}", or remove it')

    def _meant(self, name: str) -> tuple[str, ...]:
        if not name.startswith(MARK):
            return (name,)
        if name[1:] not in self._lists:
            raise SpecError(f"no list {name} in [properties]", hint=nearest(name[1:], self._lists))
        self._unused.pop(name[1:], None)
        return self._lists[name[1:]]


FORMAT = "pyharness-plan/1"

STRENGTH: Final = "weakenings.toml"
"""The file, beside the specs, with the results of weakening a plan's properties."""

_FEW: Final = 3
_WORD: Final = re.compile(r"\w+")
_BY_BUILD: Final = (
    "that count depends on TLC's build: remove it; `pyharness plan pins --update` pins what does not"
)


@dataclass(frozen=True)
class Plan:
    """A plan: its ``name``, its file, its models, the library of modules they are about, and the worked examples.

    ``claims`` are those that it is to check; ``complete`` is false for a selection of its models, and ``cover`` names
    the plan of which it is a cover (:mod:`pyharness.gate.judge.cover`). A run that takes longer
    than ``budget_seconds``, or shows less than the ``minimums``, is incomplete. ``strength`` is the file with the results
    of ``pyharness mutate property`` that its properties must match, if any. ``notes`` are differences from the shipped specs,
    ``tools`` are tools of a run that are not those that the locks pin. ``logs`` are those of real runs that must validate,
    ``modules`` are those with their own configurations, and no graphs.
    """

    name: str
    path: Path
    models: tuple[Model, ...]
    library: Library
    examples: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    complete: bool = True
    cover: Cover | None = None
    budget_seconds: int | None = None
    minimums: Minimums | None = None
    strength: Path | None = None
    notes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    logs: tuple[LogSource, ...] = ()
    modules: tuple[ModuleModel, ...] = ()

    @property
    def full(self) -> Plan | None:
        """The plan itself, or that of which it is a cover; ``None`` for a selection of models."""
        return self if self.complete else self.cover.of if self.cover else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(model.name for model in self.all)

    @property
    def all(self) -> tuple[AnyModel, ...]:
        """All models, those without graphs last."""
        return (*self.models, *self.modules)


@dataclass(frozen=True)
class Cover:
    """The plan of which a plan is a cover, and the kinds of evidence that the cover is ``lacking``."""

    of: Plan
    lacking: tuple[str, ...]


def read_plan(path: Path, specs: Path) -> Plan:
    """Read and check a plan; ``specs`` has the modules, and extends the shipped ones.

    Raises SpecError naming file, line and field for anything that is wrong in it.
    """
    text = read_utf8(path, MOST_TOML_BYTES)
    table = parse_table(text, path.name, FORMAT)
    library = Library(*module_directories(specs), ahead=_needed(text, table))
    for name in sorted(STANDARD | IN_JAVA):
        if name in library:
            where = str(library.path(name))
            raise SpecError(
                f"TLC would take this for its own {name}", where=where, hint="give it another name"
            )
    lists = PropertyLists(table.table("properties", needed=False))
    names = value("a list of names", list, are_texts, lists.expand)
    kinds = {**_KINDS, **dict.fromkeys(USED_IN, names)}
    tables = table.tables("model")
    models = _read_models(table, [each for each in tables if "module" not in each], library, kinds)
    claims = read_claims(find_file("claims.toml", specs)) if table.take("claims", FLAG, default=False) else ()
    plan = Plan(
        path.stem,
        path,
        models,
        library,
        example_names(specs) if table.take("examples", FLAG, default=False) else (),
        claims,
        budget_seconds=table.take("budget_seconds", _SECONDS, None),
        minimums=read_minimums(table.table("minimums"), models) if "minimums" in table else None,
        strength=_strength(path) if claims else None,
        notes=_notes(stand_ins(specs, path)),
        logs=read_logs(table.tables("logs"), path.parent),
        modules=_read_modules([each for each in tables if "module" in each], path.parent, models, kinds),
    )
    table.close()
    lists.require_use()
    if not plan.names:
        raise table.error("the plan has no models, so it checks nothing", None, "add a [[model]] table")
    return plan


def _needed(text: str, plan: Table) -> bool | frozenset[str]:
    """Return the names of the modules that a plan may need, which its words are among, or ``True`` for all."""
    if any(plan.left.get(key) for key in ("examples", "logs")):
        return True
    return frozenset({*_WORD.findall(text), DEFAULT_APPLICATION, PREDICATES_MODULE})


def _notes(names: tuple[str, ...]) -> tuple[str, ...]:
    few = ", ".join([*names[:_FEW], *([f"{len(names) - _FEW} more"] if len(names) > _FEW else [])])
    return (f"not as shipped: {few} of its own",) if names else ()


def _strength(path: Path) -> Path | None:
    """Return the list beside a plan's own specs, if they have one, as the shipped specs must.

    So must those of a plan that stands in for a shipped one: a copy without the list would pass with less. Another list
    does not stand in for it, even a nearer one: it does not describe this plan.
    """
    specs = path.resolve().parent.parent
    shipped = path.resolve().parent.name == "plans" and (SPECS / "plans" / path.name).is_file()
    demanded = shipped or (specs / STRENGTH).is_file()
    return specs / STRENGTH if demanded else None


def row_name(matrix: str, mutant: str) -> str:
    """Return the name of the model that a row of a matrix stands for: ``mutants-late-turn``."""
    return f"{matrix}-{re.sub(r'(?<!^)(?=[A-Z])', '-', mutant).lower()}"


def _counts(kind: type[Any]) -> Kind[Any]:
    """Return the kind of tables of positive numbers that such a value is made of."""
    kinds: dict[str, Kind[Any]] = {**dict.fromkeys(kind.__dataclass_fields__, integer(1))}
    if kind is Pins:
        kinds["asks"] = TEXT

    def read(table: Table, key: str) -> Any:
        counts = table.table(key)
        if kind is Pins and "generated" in counts:
            raise counts.error("no such key", "generated", _BY_BUILD)
        return counts.read(kind, kinds)

    return read


_MUTANTS: Final = value("a table of mutants, each with the properties that catch it", dict, bool)
_SECONDS: Final = integer(1, words="a number of seconds")
_KINDS: Final[Mapping[str, Kind[Any]]] = {
    **dict.fromkeys(("spec", "stop", "mutant"), TEXT),
    **dict.fromkeys(("fair", "conform"), FLAG),
    **dict.fromkeys(("silent", "reached", "unreached"), NAMES),
    "name": value("lower-case words joined by hyphens", str, _NAME.fullmatch),
    "topologies": value('a non-empty list, such as ["ring:3"]', list, bool, choose_topologies),
    "items": integer(1, 9),
    "per_run": integer(1, words="a number of graphs"),
    "depth": integer(1, words="a number of states"),
    "placement": one_of(("initiator", "spread", "any")),
    "granularity": one_of(("event", "action")),
    "application": one_of(APPLICATIONS),
    "predicate": one_of(PREDICATES),
    "constants": value(
        "a table of names and numbers, or modes of barrier handling",
        dict,
        lambda given: all(type(each) is int or each in MODES for each in given.values()),
    ),
    "overrides": by_name(str, "a table of operators and their replacements"),
    "expect": one_of(("pass", "violation")),
    "pins": _counts(Pins),
    "simulate": _counts(SimulationBudget),
    "wander": _counts(Wander),
    "budget": _counts(Budget),
}
"""The kind of each key of a model, but those of :data:`USED_IN`."""


def _read_models(
    plan: Table, tables: list[Table], library: Library, kinds: Mapping[str, Kind[Any]]
) -> tuple[Model, ...]:
    """Read the models of a plan on graphs, those that the rows of a matrix stand for too."""
    models: list[Model] = []
    rows = (row for matrix in plan.tables("matrix") for row in _rows(matrix))
    for table in (*tables, *rows):
        model = table.read(Model, kinds)
        if model.wander and model.depth is None:
            model = replace(model, depth=2)
        ModelChecks(library, table.error).check(model)
        if any(model.name == other.name for other in models):
            raise table.error(f"another model is called {model.name!r}", "name")
        models.append(model)
    return tuple(models)


def _rows(matrix: Table) -> Iterator[Table]:
    """Return the table of a model for each mutant of a matrix."""
    mutants = matrix.take("mutants", _MUTANTS)
    for mutant, caught_by in mutants.items():
        name = row_name(str(matrix.left.get("name", "mutants")), mutant)
        own = {"name": name, "mutant": mutant, "expect": "violation", "caught_by": caught_by}
        yield replace(matrix, left={**matrix.left, **own})


def _read_modules(
    tables: list[Table], beside: Path, models: tuple[Model, ...], kinds: Mapping[str, Kind[Any]]
) -> tuple[ModuleModel, ...]:
    found: list[ModuleModel] = []
    for table in tables:
        source = read_module_model(table, beside, kinds)
        if source.name in {*(m.name for m in models), *(other.name for other in found)}:
            raise table.error(f"another model is called {source.name!r}", "name")
        found.append(source)
    return tuple(found)
