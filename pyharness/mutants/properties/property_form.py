r"""A property as it is watched: what of it may be changed, and the formula that a state, a step or a behaviour violates.

A property of steps is ``first /\ [][action]_subscript``. A further part about behaviours, such as what is fair in a spec
that is refined, stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.models.behaviour_formula import meaning_in, step_formula
from pyharness.mutants.properties.formula_changes import HELPERS
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Name, Prefix, apart, joined, rebuilt, row
from pyharness.tla.modules.formula_facts import about_states_only
from pyharness.tla.modules.module import TEMPORAL
from pyharness.tla.plain_models.plain_model import OWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.mutants.properties.formula_changes import Maker, Opened
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library

_TRUE: Final = Name("TRUE")
_OWN_NAMES: Final[Mapping[str, Expression]] = {name: Name(f"{OWN}{name}") for name in HELPERS}


@dataclass(frozen=True)
class PropertyForm:
    """The part of a property that may be changed: its ``body``, as it is written in a ``module``, that of an ``instance`` perhaps.

    ``kind`` is ``state``, ``step`` or ``behaviour``. ``meant`` has what names of the body are where it is watched, and
    ``named`` the property itself there, if it has a name. ``group`` is a variable; ``temporal`` is true if the property
    is about behaviours, too.
    """

    kind: str
    body: Expression
    module: str
    group: str
    named: str = ""
    instance: str = ""
    meant: Mapping[str, Expression] = field(default_factory=dict)
    temporal: bool = False

    @property
    def formula(self) -> str:
        """The formula that a state or a step violates, or the temporal property."""
        return self.named or self.text(self.body)

    def text(self, formula: Expression) -> str:
        """Return that of the property which has another ``formula`` for its body."""
        if self.kind != "step":
            return own_text(formula, self.meant)
        return " /\\ ".join(map(self._of_step, row("/\\", formula)))

    def changes(self, make: Maker, opened: Opened) -> list[tuple[str, str]]:
        """Return the changes of one sort that make another formula: what is changed, and the formula."""
        found = {self.text(self.body): ""}
        for change, formula in make(self.body, opened):
            found.setdefault(self.text(formula), change)
        return [(change, formula) for formula, change in found.items() if change]

    def _of_step(self, part: Expression) -> str:
        match part:
            case Prefix("[]", Boxed("[", action, subscript)):
                return f"(UNCHANGED ({own_text(subscript, self.meant)}) \\/ ({own_text(action, self.meant)}))"
        return f"(~{OWN}Begins({self.group}) \\/ ({own_text(part, self.meant)}))"


def form_of(library: Library, module: str, name: str, group: str, *, invariant: bool) -> PropertyForm:
    """Return the form of a property of a module; a ``group`` is a variable of its states."""
    if invariant:
        defined = library.defines(module, name)
        body = library.definition(module, name).body if defined else Name(name)
        return PropertyForm("state", body, module, group, name)
    if always := _always(library, module, name):
        return PropertyForm("state", always, module, group)
    found = step_formula(library, module, name)
    if found is None:
        body = _spelled_out(library, module, Name(name))
        return PropertyForm("behaviour", body, module, group, name, temporal=True)
    steps = Prefix("[]", Boxed("[", found.action, found.subscript))
    instance = library.instance(module, found.instance) if found.instance else None
    return PropertyForm(
        "step",
        joined("/\\", (steps,) if found.first == _TRUE else (*row("/\\", found.first), steps)),
        instance.module if instance else module,
        group,
        instance=found.instance,
        meant=meaning_in(library, module, found.instance),
        temporal=found.temporal,
    )


def own_text(formula: Expression, meant: Mapping[str, Expression]) -> str:
    """Return a formula as the root has it: what it binds has names that no module of the user's declares."""
    return on_one_line(apart(formula, {**meant, **_OWN_NAMES}, OWN))


def _always(library: Library, module: str, name: str) -> Expression | None:
    """Return ``P`` of a property that is ``[]P``, with a ``P`` about states."""
    body: Expression = Name(name)
    while isinstance(body, Name) and library.defines(module, body.name):
        body = library.definition(module, body.name).body
    if isinstance(body, Prefix) and body.operator == "[]" and not isinstance(body.body, Boxed):
        return body.body if about_states_only(library, module, body.body) else None
    return None


def _spelled_out(library: Library, module: str, formula: Expression) -> Expression:
    """Return a formula with its temporal definitions expanded, except those with parameters."""
    while isinstance(formula, Name) and library.defines(module, formula.name):
        definition = library.definition(module, formula.name)
        if definition.level < TEMPORAL:
            return formula
        formula = definition.body
    return rebuilt(formula, lambda part: _spelled_out(library, module, part))
