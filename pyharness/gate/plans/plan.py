"""Plans: which models are checked, with which bounds, and what each must yield (TOML, a closed schema).

::

    format = "pyharness-plan/1"
    examples = true               # check the worked examples of specs/examples too
    claims = true                 # the plan must check every claim of specs/claims.toml; its properties, and
                                  # where they catch mutants, must be as pinned in specs/weakenings.toml
    budget_seconds = 1800         # wall time of the whole run; over it, the run is incomplete

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
    per_run = 12                  # so many graphs in one run of TLC, where there are too many for one; default all
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
    expect = "pass"               # or "violation", then caught_by names the properties, all of them
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
    depth = 14                    # follow behaviours for so many states
    invariants = ["TypeOK", "NoRedInWhite"]
    mutants = { LateTurn = ["NoRedInWhite"] }           # modules of specs/mutants/, and all properties that catch each

    [[logs]]                      # logs of real runs (docs/reference/logs.md), which must validate
    directory = "../../runs/bank" # relative to the plan's own; name, protocol and tlc = false may be added

    [[spec]]                      # any module with its own configuration, without graphs
    name = "mutex"
    module = "../Mutex.tla"       # relative to the plan's own directory; config too, default Mutex.cfg or its theorems
    pins = { distinct = 20 }      # and constants, libraries, properties, strict, expect, caught_by, budget
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.bounded_files import read_toml
from pyharness.base.toolchain.spec_files import SPECS, find_file, module_directories, stand_ins
from pyharness.base.topology import choose_topologies
from pyharness.gate.plans.claims import Claim, read_claims
from pyharness.gate.plans.minimums import Minimums, read_minimums
from pyharness.gate.plans.plan_logs import read_logs
from pyharness.gate.plans.plan_specs import SpecSource, read_specs
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

_LIST_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


class PropertyLists:
    """The lists of a plan by name, as its table ``properties`` gives them.

    Raises SpecError, whose ``where`` is the list's name, for a table that is none, a name that is no lower-case words
    joined by hyphens, and a list that is empty, repeats a name, or names a list.
    """

    def __init__(self, table: Any) -> None:
        if not isinstance(table, dict):
            raise SpecError("must be a table of lists of names", where="properties")
        self._lists: dict[str, tuple[str, ...]] = {}
        self._unused = dict.fromkeys(table)
        for name, given in table.items():
            if not _LIST_NAME.fullmatch(name):
                raise SpecError("a list is named by lower-case words joined by hyphens", where=name)
            if not isinstance(given, list) or not given or not all(isinstance(word, str) for word in given):
                raise SpecError(f"must be a list of names that is not empty, not {given!r}", where=name)
            if len(set(given)) != len(given):
                raise SpecError("must be without repetitions", where=name)
            if any(word.startswith(MARK) for word in given):
                raise SpecError("must be a list of properties, not of lists", where=name)
            self._lists[name] = tuple(given)

    def expand(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return ``names`` with the properties of each list in the place of its name.

        Raises SpecError for a list that is not there.
        """
        return tuple(name for given in names for name in self._meant(given))

    def unused(self) -> tuple[str, ...]:
        """Name the lists that were never meant."""
        return tuple(self._unused)

    def _meant(self, name: str) -> tuple[str, ...]:
        if not name.startswith(MARK):
            return (name,)
        own: Mapping[str, tuple[str, ...]] = self._lists
        if name[1:] not in own:
            raise SpecError(f"no list {name} in [properties]", hint=nearest(name[1:], own))
        self._unused.pop(name[1:], None)
        return own[name[1:]]


FORMAT = "pyharness-plan/1"

STRENGTH: Final = "weakenings.toml"
"""The file, beside the specs, with what was found of the weakenings of a plan's properties."""

_FEW: Final = 3
_WORD: Final = re.compile(r"\w+")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_KEYS: Final = (
    *(
        "format",
        "examples",
        "claims",
        "budget_seconds",
        "minimums",
        "properties",
        "model",
        "matrix",
        "logs",
        "spec",
    ),
)
_PLACEMENTS: Final = ("initiator", "spread", "any")
_BY_BUILD: Final = (
    "that count depends on TLC's build: remove it; `pyharness plan pins --update` pins what does not"
)


@dataclass(frozen=True)
class Plan:
    """A plan: its ``name``, its file, its models, the library of modules they are about, and the worked examples.

    ``claims`` are those that it is to check; ``whole`` is false for a selection of its models, and ``cover`` tells
    of which plan it is a cover (:mod:`pyharness.gate.judge.cover`). A run that takes longer
    than ``budget_seconds``, or shows less than the ``minimums``, is incomplete. ``strength`` is the file with what
    ``pyharness mutate property`` found of its properties, if it is to be as it says. ``notes`` say what is not as it is shipped,
    ``tools`` which tools of a run are not those that the locks pin. ``logs`` are those of real runs that must validate,
    ``specs`` modules with their own configurations, and no graphs.
    """

    name: str
    path: Path
    models: tuple[Model, ...]
    library: Library
    examples: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    whole: bool = True
    cover: Cover | None = None
    budget_seconds: int | None = None
    minimums: Minimums | None = None
    strength: Path | None = None
    notes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    logs: tuple[LogSource, ...] = ()
    specs: tuple[SpecSource, ...] = ()

    @property
    def full(self) -> Plan | None:
        """The plan itself, or that of which it is a cover; ``None`` for a selection of models."""
        return self if self.whole else self.cover.of if self.cover else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what may be selected: models and specs."""
        return (*(model.name for model in self.models), *(spec.name for spec in self.specs))


@dataclass(frozen=True)
class Cover:
    """The plan of which a plan is a cover, and the kinds of evidence that the cover is ``lacking``."""

    of: Plan
    lacking: tuple[str, ...]


def read_plan(path: Path, specs: Path) -> Plan:
    """Read and check a plan; ``specs`` has the modules, and extends the shipped ones.

    Raises SpecError naming file, line and field for whatever is wrong in it.
    """
    text, document = read_toml(path)
    library = Library(*module_directories(specs), ahead=_needed(text, document))
    for name in sorted(STANDARD | IN_JAVA):
        if name in library:
            where = str(library.path(name))
            raise SpecError(
                f"TLC would take this for its own {name}", where=where, hint="give it another name"
            )
    reader = _Reader(path.name, text, library)
    models = reader.models(document)
    minimums = reader.minimums(document, models)
    examples = example_names(specs) if document.get("examples") else ()
    claims = read_claims(find_file("claims.toml", specs)) if document.get("claims") else ()
    budget = document.get("budget_seconds")
    return Plan(
        path.stem,
        path,
        models,
        reader.library,
        examples,
        claims,
        budget_seconds=budget,
        minimums=minimums,
        strength=_strength(path) if claims else None,
        notes=_notes(stand_ins(specs, path)),
        logs=reader.logs(document, path.parent),
        specs=reader.specs(document, path.parent, models),
    )


def _needed(text: str, document: Mapping[str, Any]) -> bool | frozenset[str]:
    """Return the names of the modules that a plan may need, which its words are among, or ``True`` for all."""
    if any(document.get(key) for key in ("examples", "logs")):
        return True
    return frozenset({*_WORD.findall(text), DEFAULT_APPLICATION, PREDICATES_MODULE})


def _notes(names: tuple[str, ...]) -> tuple[str, ...]:
    few = ", ".join([*names[:_FEW], *([f"{len(names) - _FEW} more"] if len(names) > _FEW else [])])
    return (f"not as shipped: {few} of its own",) if names else ()


def _strength(path: Path) -> Path | None:
    """Return the list beside a plan's own specs, if they have one, as the shipped specs must.

    So must those of a plan that stands in for a shipped one: a copy without the list would pass with less. Another list
    does not stand in for it, though it be nearer: it says nothing of this plan.
    """
    specs = path.resolve().parent.parent
    shipped = path.resolve().parent.name == "plans" and (SPECS / "plans" / path.name).is_file()
    demanded = shipped or (specs / STRENGTH).is_file()
    return specs / STRENGTH if demanded else None


def row_name(matrix: str, mutant: str) -> str:
    """Return the name of the model that a row of a matrix stands for: ``mutants-late-turn``."""
    return f"{matrix}-{re.sub(r'(?<!^)(?=[A-Z])', '-', mutant).lower()}"


class _Reader:
    """Checks a document against the schema and says where it is wrong."""

    def __init__(self, file: str, text: str, library: Library) -> None:
        self.file = file
        self.lines = text.split("\n")
        self.library = library
        self.lists = PropertyLists({})
        self.starts: list[int] = []  # for each model, the line (from 0) of the table it comes from

    def heads(self, kind: str) -> list[int]:
        return [n for n, line in enumerate(self.lines) if line.strip().replace(" ", "") == f"[[{kind}]]"]

    def error(self, message: str, index: int | None, key: str | None, hint: str | None = None) -> SpecError:
        start = self.starts[index] if index is not None and index < len(self.starts) else 0
        line = start
        if key is not None:
            for number in range(start, len(self.lines)):
                if number > start and self.lines[number].strip().startswith("[["):
                    break
                if re.match(rf"\s*{re.escape(key)}\b", self.lines[number]):
                    line = number
                    break
        return SpecError(f"{key}: {message}" if key else message, where=f"{self.file}:{line + 1}", hint=hint)

    def models(self, document: Mapping[str, Any]) -> tuple[Model, ...]:
        for key in document:
            if key not in _KEYS:
                raise self.error(
                    "no such key",
                    None,
                    key,
                    nearest(key, _KEYS),
                )
        if document.get("format") != FORMAT:
            raise self.error(f"must be {FORMAT!r}", None, "format")
        for key in ("examples", "claims"):
            if not isinstance(document.get(key, False), bool):
                raise self.error("must be true or false", None, key)
        budget = document.get("budget_seconds", 1)
        if type(budget) is not int or budget < 1:
            raise self.error(
                f"must be a number of seconds, at least 1, not {budget!r}", None, "budget_seconds"
            )
        try:
            self.lists = PropertyLists(document.get("properties", {}))
        except SpecError as error:
            raise self.error(error.message, None, error.where) from None
        tables = self.tables(document)
        if not tables and not document.get("spec"):
            raise self.error(
                "the plan has no models, so it checks nothing",
                None,
                None,
                "add a [[model]] table, or a [[spec]]",
            )
        models = tuple(self.model(table, index) for index, table in enumerate(tables))
        names = [model.name for model in models]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise self.error(f"another model is called {name!r}", index, "name")
        for name in self.lists.unused():
            raise self.error("no model uses this list", None, name, f'say "{MARK}{name}", or remove it')
        return models

    def logs(self, document: Mapping[str, Any], beside: Path) -> tuple[LogSource, ...]:
        self.starts = self.heads("logs")
        return read_logs(document.get("logs", []), beside, self.error)

    def specs(
        self, document: Mapping[str, Any], beside: Path, models: tuple[Model, ...]
    ) -> tuple[SpecSource, ...]:
        self.starts = self.heads("spec")
        given = document.get("spec", [])
        return read_specs(given, beside, [model.name for model in models], self.value, self.error)

    def minimums(self, document: Mapping[str, Any], models: tuple[Model, ...]) -> Minimums | None:
        if "minimums" not in document:
            return None
        try:
            return read_minimums(document["minimums"], models)
        except SpecError as error:
            raise self.error(error.message, None, error.where, error.hint) from None

    def tables(self, document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return a table for each model, those that the rows of a matrix stand for too."""
        found: list[Mapping[str, Any]] = []
        for kind in ("model", "matrix"):
            given = document.get(kind, [])
            if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
                raise self.error(f"must be [[{kind}]] tables", None, kind)
            for head, table in zip([*self.heads(kind), *[0] * len(given)], given, strict=False):
                models = [table] if kind == "model" else list(self.rows(table, head))
                self.starts += [head] * len(models)
                found += models
        return found

    def rows(self, matrix: Mapping[str, Any], head: int) -> Iterator[Mapping[str, Any]]:
        mutants = matrix.get("mutants")
        if not isinstance(mutants, dict) or not mutants:
            self.starts.append(head)
            raise self.error(
                "must be a table of mutants, each with the properties that catch it", 0, "mutants"
            )
        common = {key: value for key, value in matrix.items() if key != "mutants"}
        for mutant, caught_by in mutants.items():
            name = row_name(str(matrix.get("name", "mutants")), mutant)
            yield {**common, "name": name, "mutant": mutant, "expect": "violation", "caught_by": caught_by}

    def model(self, table: Mapping[str, Any], index: int) -> Model:
        fields = [name for name in Model.__dataclass_fields__ if name != "stated"]
        for key in table:
            if key not in fields:
                raise self.error("no such key", index, key, nearest(key, fields))
        for key in ("name", "spec", "topologies"):
            if key not in table:
                raise self.error(f"the model has no {key!r}", index, None)
        values: dict[str, Any] = {key: self.value(key, given, index) for key, given in table.items()}
        if "wander" in values:
            values.setdefault("depth", 2)
        model = Model(**values)

        def error(message: str, key: str | None, hint: str | None = None) -> SpecError:
            return self.error(message, index, key, hint)

        ModelChecks(self.library, error).check(model)
        return model

    def value(self, key: str, given: Any, index: int) -> Any:
        def need(ok: bool, what: str) -> None:
            if not ok:
                raise self.error(f"must be {what}, not {given!r}", index, key)

        match key:
            case "topologies":
                need(
                    isinstance(given, list) and bool(given),
                    'a non-empty list, such as ["ring:3"]',
                )
                try:
                    return choose_topologies(given)
                except SpecError as error:
                    raise self.error(error.message, index, key, error.hint) from None
            case "items":
                need(type(given) is int and 1 <= given <= 9, "a number from 1 to 9")
            case "per_run":
                need(type(given) is int and given > 0, "a number of graphs")
            case "depth":
                need(type(given) is int and given > 0, "a number of states, at least 1")
            case "fair" | "conform":
                need(isinstance(given, bool), "true or false")
            case "overrides":
                need(
                    isinstance(given, dict) and all(isinstance(v, str) for v in given.values()),
                    "a table of operators and their replacements",
                )
            case "invariants" | "properties" | "silent" | "reached" | "unreached" | "caught_by":
                need(isinstance(given, list) and all(isinstance(g, str) for g in given), "a list of names")
                try:
                    names = self.lists.expand(given) if key in USED_IN else tuple(given)
                except SpecError as error:
                    raise self.error(error.message, index, key, error.hint) from None
                need(len(set(names)) == len(names), "without repetitions")
                return names
            case "constants":
                need(
                    isinstance(given, dict) and all(type(v) is int or v in MODES for v in given.values()),
                    "a table of names and numbers, or modes of barrier handling",
                )
            case "pins" | "simulate" | "wander" | "budget":
                kinds = {"pins": Pins, "simulate": SimulationBudget, "wander": Wander, "budget": Budget}
                return self.numbers(kinds[key], key, given, index)
            case "placement":
                need(given in _PLACEMENTS, f"one of {', '.join(_PLACEMENTS)}")
            case "application":
                need(isinstance(given, str) and given in APPLICATIONS, f"one of {', '.join(APPLICATIONS)}")
            case "predicate":
                need(isinstance(given, str) and given in PREDICATES, f"one of {', '.join(PREDICATES)}")
            case "granularity":
                need(given in ("event", "action"), "event or action")
            case "expect":
                need(given in ("pass", "violation"), "pass or violation")
            case "name":
                need(
                    isinstance(given, str) and bool(_NAME.fullmatch(given)),
                    "lower-case words joined by hyphens",
                )
            case _:
                need(isinstance(given, str), "text")
        return given

    def numbers(self, kind: type[Any], key: str, given: Any, index: int) -> Any:
        fields = kind.__dataclass_fields__
        if not isinstance(given, dict) or not all(type(v) is int and v > 0 for v in given.values()):
            raise self.error(f"must be a table of positive numbers: {', '.join(fields)}", index, key)
        for name in given:
            if name not in fields:
                hint = _BY_BUILD if (key, name) == ("pins", "generated") else f"it has {', '.join(fields)}"
                raise self.error(f"no such key {name!r}", index, key, hint)
        try:
            return kind(**given)
        except TypeError:
            raise self.error(f"must have {', '.join(fields)}", index, key) from None
