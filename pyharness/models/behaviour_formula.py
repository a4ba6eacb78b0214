r"""The initial predicate, the next-state relation and the fairness of a configuration's behaviours, as expressions.

They are read from ``Init /\ [][Next]_vars``, under any names and at any depth of definitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.tla.modules.expressions import Boxed, Name, Prefix, joined, names_in, row
from pyharness.tla.modules.formula_facts import level_of
from pyharness.tla.modules.module import ACTION, STATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.plain_models.plain_model import PlainModel


class Behaviours(NamedTuple):
    """The initial predicate ``init``, the next-state relation ``next`` and the ``fair`` conjuncts of a model."""

    init: Expression
    next: Expression
    fair: tuple[Expression, ...] = ()


def behaviours_of(model: PlainModel) -> Behaviours:
    """Return the formulas of a model's behaviours. Raises SpecError where they are those of an instance, or missing."""
    config = model.config
    if config.init:
        return Behaviours(Name(config.init), Name(config.next))
    if not config.specification:
        raise SpecError(
            "there are no behaviours, so there is nothing to change", where=config.where or model.module
        )
    inits, nexts, fair = _unfolded(model.library, model.module, Name(config.specification))
    if len(nexts) != 1 or not inits:
        raise SpecError(
            rf"{config.specification} is not Init /\ [][Next]_vars with parts of its own module",
            where=model.name,
            hint="use INIT and NEXT in a configuration",
        )
    return Behaviours(joined("/\\", tuple(inits)), nexts[0].action, tuple(fair))


def relations_in(model: PlainModel, name: str) -> set[str]:
    """Return the actions of the next-state relation that an invariant's own text names, for instance after ENABLED."""
    visible = model.library.visible(model.module)
    if name not in visible:
        return set()
    named = set(names_in(behaviours_of(model).next))
    inner = {each for outer in named if outer in visible for each in visible[outer].uses}
    found = {*named, *inner} & set(names_in(visible[name].body))
    return {each for each in found if each in visible and visible[each].level >= ACTION}


def _unfolded(
    library: Library, module: str, formula: Expression
) -> tuple[list[Expression], list[Boxed], list[Expression]]:
    """Return the conjuncts of a formula: those about states, those ``[][A]_v``, and all others."""
    inits: list[Expression] = []
    nexts: list[Boxed] = []
    others: list[Expression] = []
    waiting, seen = [formula], set[object]()
    while waiting:
        part = waiting.pop(0)
        parts = row("/\\", part)
        if len(parts) > 1 or parts[0] != part:
            waiting = [*parts, *waiting]
        elif isinstance(part, Prefix) and part.operator == "[]" and isinstance(part.body, Boxed):
            nexts.append(part.body)
        elif level_of(library, module, part) <= STATE:
            inits.append(part)
        elif isinstance(part, Name) and part not in seen and library.defines(module, part.name):
            seen.add(part)
            waiting.insert(0, library.definition(module, part.name).body)
        else:
            others.append(part)
    return inits, nexts, others


class StepFormula(NamedTuple):
    r"""The part of a property about the first state and each step: ``first /\ [][action]_subscript``.

    The formulas are as they are written in the module of the ``instance``, if there is one; ``temporal`` is whether the
    property has other, temporal conjuncts.
    """

    instance: str
    first: Expression
    action: Expression
    subscript: Expression
    temporal: bool


def step_formula(library: Library, module: str, prop: str) -> StepFormula | None:
    """Return the part of a property about the first state and each step; ``None`` if it has no ``[][A]_v``, or several."""
    formula: Expression = Name(prop)
    instance, home = "", module
    for _ in range(20):
        if isinstance(formula, Name) and not instance and "!" in formula.name:
            found = library.of_instance(module, formula.name)
            if found is None or found[0].parameters:
                return None
            instance, home, formula = formula.name.partition("!")[0], found[0].module, found[1].body
        elif isinstance(formula, Name) and library.defines(home, formula.name):
            formula = library.definition(home, formula.name).body
        else:
            break
    inits, nexts, others = _unfolded(library, home, formula)
    if len(nexts) != 1:
        return None
    first = joined("/\\", tuple(inits)) if inits else Name("TRUE")
    return StepFormula(instance, first, nexts[0].action, nexts[0].subscript, bool(others))


def meaning_in(library: Library, module: str, instance: str) -> Mapping[str, Expression]:
    """Return the expressions, in a module, for the names of an instanced module; empty for no instance, ``""``."""
    found = library.instance(module, instance) if instance else None
    if found is None:
        return {}
    inner = {name: Name(f"{instance}!{name}") for name in library.visible(found.module)}
    return {**inner, **found.substitutions}


def reached(library: Library, module: str, names: Iterable[str]) -> dict[str, None]:
    """Return the names of all definitions that some names of a module use, directly or not, in the order of the search."""
    visible = library.visible(module)
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name in visible and name not in found:
            found[name] = None
            waiting += visible[name].uses
        elif "!" in name[:-1] and (instance := library.instance(module, name.partition("!")[0])):
            waiting += [used for value in instance.substitutions.values() for used in names_in(value)]
    return found
