"""The properties that a model checks, as its mutants are watched for them, and their weakenings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from pyharness.models.behaviour_formula import behaviours_of, reached, relations_in
from pyharness.models.checked_texts import formulas_of
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.properties.formula_changes import Opened, weaker
from pyharness.mutants.properties.property_form import form_of
from pyharness.mutants.properties.watching import Changed, PropertyChange, each_once
from pyharness.mutants.specs.one_module import FOLLOWING, MUTANT
from pyharness.tla.modules.expressions import Name, names_in

if TYPE_CHECKING:
    from pyharness.mutants.properties.property_form import PropertyForm
    from pyharness.tla.plain_models.plain_model import PlainModel


def chosen_weakenings(model: PlainModel, only: str = "") -> list[Changed]:
    """Make the weakenings of what a model checks, or of what has ``only`` in its name.

    Raises SpecError where a module has a name that weakenings are written with.
    """
    library = model.library
    behaviours = behaviours_of(model)
    acting = reached(library, model.module, [*names_in(behaviours.init), *names_in(behaviours.next)])

    @cache
    def opened(module: str) -> Opened:
        """Operators that actions use are not opened."""
        kinds = Kinds(library.visible(module))
        but = {*model.checked, *(acting if module == model.module else ())}
        return Opened(library.visible(module), formulas_of(library, module, kinds, but), kinds)

    def changed(name: str) -> Changed:
        form = _form(model, name)
        key = f"{model.home(name)}.{name}"
        made = form.changes(weaker, opened(form.module))
        changes = each_once(PropertyChange(key, change, formula) for change, formula in made)
        left_out = "" if changes else "there is no place at which it can be weakened"
        if form.temporal and form.kind == "step":
            left_out = "its liveness part; its step part is weakened"
        return Changed(key, form.kind, form.formula, changes, temporal=form.temporal, left_out=left_out)

    return [changed(name) for name in model.checked if only in name]


def _form(model: PlainModel, name: str) -> PropertyForm:
    """Return the form of a property; where it asks whether the relation is enabled, that is the one of the mutants."""
    form = form_of(model.library, model.module, name, MUTANT, invariant=name in model.config.invariants)
    relations = relations_in(model, name) if form.kind == "state" and form.named else ()
    return replace(form, named="", meant=dict.fromkeys(relations, Name(FOLLOWING))) if relations else form
