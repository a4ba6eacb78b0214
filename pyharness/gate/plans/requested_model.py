"""One model as a user requests it: a spec on some graphs, with a bug (also one made on the spot) or a bound."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.machines.protocols import MODES
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS, find_protocol
from pyharness.models.bounds import Budget
from pyharness.models.model import GIVEN_CONSTANTS, Model
from pyharness.models.model_meaning import is_endless, require_meaning
from pyharness.models.theorems import require_graphs, stated_by_theorems, theorems_of
from pyharness.tla.modules.expressions import Infix, Name, Prefix, row, within
from pyharness.tla.modules.formula_facts import is_about_states

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.gate.plans.plan import Plan
    from pyharness.tla.modules.library import Library


OVERRIDES: Final = "Overrides"
"""The module's name, with which its definitions begin: ``OverridesMayTake`` stands in for ``MayTake``."""

_GIVEN: Final = re.compile(r"\s*([A-Za-z]\w*)\s*(\(\s*\w+(?:\s*,\s*\w+)*\s*\))?\s*=(?!=)\s*(.+)", re.DOTALL)


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """Read ``Op=Definition`` or ``Op(a, b)=Definition``; the left-hand sides are the keys.

    Raises SpecError for a text that is neither.
    """
    found: dict[str, str] = {}
    for text in texts:
        match = _GIVEN.fullmatch(text)
        if match is None:
            hint = 'such as "MayTake=TRUE", or "TurnsRed(p, marker)=FALSE"'
            raise SpecError(f"{text!r} is not Operator=Definition", where="override", hint=hint)
        found[match[1] + (match[2] or "")] = match[3].strip()
    return found


def override_module(library: Library, spec: str, overrides: Mapping[str, str]) -> str:
    """Return the text of the module :data:`OVERRIDES`, which extends ``spec``.

    The keys are operators of ``spec`` or of a module that it extends, with parameters or else with those that they are
    defined with; a value is an expression, or the name of an operator with the same parameters.

    Raises SpecError, with the nearest names, for an operator that the spec does not have.
    """
    known = library.visible(spec)
    lines = []
    for left, right in overrides.items():
        name, bracket, rest = left.partition("(")
        if name not in known:
            raise SpecError.unknown(f"operator of {spec}", name, known, where="override")
        own = known[name]
        given = own.inner if right in known else ""
        lines.append(f"{OVERRIDES}{name}{bracket + rest or own.bracketed} ==\n  {right}{given}")
    body = "\n\n".join(lines)
    return f"---- MODULE {OVERRIDES} ----\nEXTENDS {spec}\n\n{body}\n====\n"


_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {"Mode": tuple(MODES)}
"""The constants whose values are words."""


def requested_model(
    spec: str,
    plan: Plan,
    *,
    topologies: tuple[Topology, ...] = (),
    mutant: str | None = None,
    overridden: bool = False,
    properties: Sequence[str] | None = None,
    constants: Mapping[str, int | str] | None = None,
    items: int | None = None,
    seconds: int | None = None,
    **others: Any,
) -> Model:
    """Return the model that the arguments request.

    It is the first model of ``plan`` about ``spec`` and ``mutant`` that checks ``properties``, changed by the arguments;
    of a spec that the plan does not have, what its theorems state is checked, on ``topologies``. ``overridden``
    takes the module of overrides for the mutant. ``others`` are further fields of a model: placement, granularity.

    Raises SpecError, with the nearest names or the choices, for what does not exist or does not fit.
    """
    library = plan.library
    if spec not in library:
        raise SpecError.unknown("spec", spec, _specs(library))
    require_graphs(library, spec)
    model = _base(spec, plan, None if overridden else mutant, properties)
    if topologies:
        model = replace(model, topologies=topologies)
    if not model.topologies:
        raise SpecError(f"on which graph is {spec} to be checked?", where="topology", hint="such as ring:3")
    model = _bounded(model, library, items, constants, seconds)
    if overridden:
        model = replace(model, mutant=OVERRIDES)
    if properties is not None:
        model = checking(model, library, properties)
    elif overridden:
        model = replace(model, expect="pass", stated=False)
    model = replace(model, pins=None, **{k: v for k, v in others.items() if v is not None})
    require_meaning(model, library, _error)
    return model


def protocol_model(
    protocol: str,
    topologies: tuple[Topology, ...] = (),
    *,
    constants: Mapping[str, int | str] | None = None,
    **others: Any,
) -> Model:
    """Return the model of a registered protocol without properties, for its states and steps.

    ``others`` are further fields of a model; a field that is None has a model's default.

    Raises SpecError, with the nearest names or the choices, for what does not exist or does not fit.
    """
    registered = find_protocol(protocol)
    fields = {key: value for key, value in others.items() if value is not None}
    if registered.tests_predicates:
        fields = {"predicate": "Terminated", **fields}
    elif "predicate" in fields:
        raise SpecError(f"{protocol} tests no predicate", where="predicate", hint="leave it out")
    model = Model(
        name=protocol,
        spec=protocol,
        topologies=topologies,
        stop=registered.stop,
        constants=dict(registered.constants),
        **{"application": registered.application, **fields},
    )
    for key in ("items", "placement"):
        if key in fields and not APPLICATIONS[model.application].items:
            raise SpecError(f"{protocol} has records", where=key, hint="give the constant Records")
    return _with_constants(model, constants or {})


def _error(message: str, key: str | None, hint: str | None = None) -> SpecError:
    return SpecError(message, where=key, hint=hint)


def _base(spec: str, plan: Plan, mutant: str | None, properties: Sequence[str] | None) -> Model:
    of_spec = [model for model in plan.models if model.spec == spec]
    fitting = [model for model in of_spec if model.mutant == mutant]
    asked = set(properties or ())
    for model in fitting:
        if asked and asked <= {*model.invariants, *model.properties}:
            return model
    found = next((model for model in fitting if mutant or model.expect == "pass"), None)
    if found is not None:
        return found
    if mutant is not None and not _is_mutant(plan.library, mutant, spec):
        known = [model.mutant for model in of_spec if model.mutant]
        raise SpecError.unknown(f"mutant of {spec}", mutant, known)
    return replace(_of_no_plan(spec, plan.library, properties), mutant=mutant)


def _is_mutant(library: Library, mutant: str, spec: str) -> bool:
    """Return whether a module extends nothing but a spec and what that extends."""
    if mutant not in library:
        return False
    known = {module.name for module in library.closure(spec)}
    return mutant not in known and set(library.module(mutant).sees) <= known


def _of_no_plan(spec: str, library: Library, properties: Sequence[str] | None) -> Model:
    """Return a model of a spec that no plan has, which checks its theorems unless ``properties`` are requested."""
    model = protocol_model(spec) if spec in PROTOCOLS else Model(name=spec, spec=spec, topologies=())
    model = replace(model, stop=model.stop if library.defines(spec, model.stop) else "")
    return model if properties is not None else _stating(model, library)


def _stating(model: Model, library: Library) -> Model:
    """Return a model with what the theorems of its spec state, fair if its temporal properties are stated as fair."""
    stated = stated_by_theorems(library, model.spec)
    coming = [each for each in stated if is_endless(library, model.spec, each.name)]
    fair = [each for each in coming if each.fair]
    fairness = f"{library.prefix(model.spec)}Fairness"
    wrong = next((each for each in coming if each.fair != ((fairness,) if fair else ())), None)
    if wrong is not None:
        of = ", ".join(wrong.fair) or "nothing"
        message = f"{wrong.name} is a temporal property, and stated where {of} is fair"
        hint = f"define in {fairness} what is fair, and state all such properties of Spec /\\ {fairness}, or none"
        raise SpecError(message, where=library.path(model.spec).name, hint=hint)
    return replace(
        model,
        invariants=tuple(each.name for each in stated if each.always),
        properties=tuple(each.name for each in stated if not each.always),
        fair=bool(fair),
        stop="" if coming and model.spec not in PROTOCOLS else model.stop,
    )


def _specs(library: Library) -> list[str]:
    return [
        name for name in library.names() if library.path(name).parent.name not in ("mutants", "inductive")
    ]


def checking(model: Model, library: Library, properties: Sequence[str]) -> Model:
    """Return a model that checks these properties alone, as ones that are to hold."""
    if not properties:
        raise SpecError("no property is given, so nothing would be checked", where="property")
    invariants: list[str] = []
    others: list[str] = []
    endless = False
    for name in properties:
        if not library.defines(model.spec, name):
            known = [*theorems_of(library, model.spec)] or library.visible(model.spec)
            raise SpecError.unknown(f"property of {model.spec}", name, known, where="property")
        endless = endless or _comes(library, model.spec, name)
        (invariants if is_about_states(library, model.spec, name) else others).append(name)
    fair = model.fair or endless
    return replace(
        model,
        invariants=tuple(invariants),
        properties=tuple(others),
        fair=fair,
        stop="" if endless and not model.fair else model.stop,
        expect="pass",
        stated=False,
    )


def _comes(library: Library, spec: str, name: str) -> bool:
    """Return whether a property is one of liveness, by itself or by the name of another one."""
    body = library.definition(spec, name).body
    return any(isinstance(p, Prefix | Infix) and p.operator in ("<>", "~>") for p in within(body)) or any(
        isinstance(part, Name)
        and part.name != name
        and library.defines(spec, part.name)
        and _comes(library, spec, part.name)
        for part in row("/\\", body)
    )


def _bounded(
    model: Model,
    library: Library,
    items: int | None,
    constants: Mapping[str, int | str] | None,
    seconds: int | None,
) -> Model:
    if items is not None:
        if not APPLICATIONS[model.application].items:
            raise SpecError(f"{model.spec} has records", where="items", hint="give the constant Records")
        if type(items) is not int or not 1 <= items <= 9:
            raise SpecError(f"must be a number from 1 to 9, not {items!r}", where="items")
        model = replace(model, items=items)
    declared = library.constants(model.spec) - GIVEN_CONSTANTS
    model = _with_constants(model, constants or {}, sorted(declared))
    if lacking := sorted(declared - {*model.defaults, *model.constants}):
        hint = "such as " + " ".join(f"--constant {name}={_CHOICES.get(name, (1,))[0]}" for name in lacking)
        hint += "; what is not a number is a definition of the module, not a constant"
        raise SpecError(f"{model.spec} has no value for {', '.join(lacking)}", where="constant", hint=hint)
    if seconds is not None:
        if type(seconds) is not int or seconds < 1:
            raise SpecError(f"must be a number from 1 on, not {seconds!r}", where="seconds")
        model = replace(model, budget=Budget(seconds, model.budget.heap_mb))
    return model


def _with_constants(model: Model, constants: Mapping[str, int | str], declared: Iterable[str] = ()) -> Model:
    """Return a model with such constants; ``declared`` are some that its spec has without a value."""
    known = {**model.defaults, **model.constants, **dict.fromkeys(declared)}
    for name, value in constants.items():
        _fits(model.spec, name, value, known)
    return replace(model, constants={**model.constants, **constants})


def _fits(spec: str, name: str, value: int | str, known: Iterable[str]) -> None:
    """Raise SpecError for a constant that a spec does not have, and for a value that is not one of its own."""
    if name not in known:
        raise SpecError.unknown(f"constant of {spec}", name, known, where="constant")
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise SpecError.unknown(f"{name}", str(value), choices, where="constant")
    if choices is None and (type(value) is not int or value < 0):
        raise SpecError(f"{name} is a number, not {value!r}", where="constant")


def parse_constants(texts: Sequence[str]) -> dict[str, int | str]:
    """Read ``NAME=VALUE``, a number or a word. Raises SpecError for a text that is not."""
    found: dict[str, int | str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals or not value:
            raise SpecError(f"{text!r} is not NAME=VALUE", where="constant", hint="such as Records=2")
        found[name] = int(value) if value.isdecimal() and len(value) < 19 else value
    return found
