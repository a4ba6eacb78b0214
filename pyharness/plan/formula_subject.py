"""What a formula is about: the variables that it depends on, down to all definitions that it uses.

A formula that depends on none is a constant, whatever it is called: TLC looks at no state to find it true, or leaves it
out without a word. So is what a step property says where its action is one, or where a step that breaks it leaves what
stands below its brackets unchanged. That a formula depends on a variable does not mean that it can be false: `x = x` is
not noticed here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import Member, Name, Prefix, Step, names_in, within
from pyharness.modules.formula_facts import used_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library


@dataclass
class FormulaSubjects:
    """The subjects of the formulas of a module of ``library``, where ``overrides`` stand in for some operators."""

    library: Library
    module: str
    overrides: Mapping[str, str] = field(default_factory=dict)

    def nothing_said(self, name: str, entered: frozenset[tuple[str, str]] = frozenset()) -> str | None:
        """Say why the property ``name`` of the module says nothing, or ``None`` where no reason was found.

        ``entered`` are the modules and properties of instances on the way to here.
        """
        formula = self._formula(name)
        if why := self._nothing_said_by(formula, entered | {(self.module, name)}):
            return why
        if not self.variables(formula):
            return "it is a constant"
        for step in (step for used in self._used(formula) for step in _steps(used)):
            about, looked_at = self.variables(step.action), self.variables(step.subscript)
            below = on_one_line(step.subscript)
            if not about:
                return f"[{on_one_line(step.action)}]_{below} is a constant"
            if unseen := sorted(about - looked_at):
                return (
                    f"a step that leaves {below} unchanged is not looked at, whatever it does to {unseen[0]}"
                )
        return None

    def _nothing_said_by(self, formula: Expression, entered: frozenset[tuple[str, str]]) -> str | None:
        """Say why ``X!name`` says nothing: by what its steps become here, or in its own module already."""
        while isinstance(formula, Prefix) and formula.operator == "[]":
            formula = formula.body
        match formula:
            case Name(used) if "!" in used:
                instance, _, name = used.partition("!")
            case Member(applied, name, ()):
                instance, used = applied.name, f"{applied.name}!{name}"
            case _:
                return None
        found = self.library.of_instance(self.module, used)
        if found is None or (found[0].module, name) in entered:
            return None
        other = found[0].module
        if why := FormulaSubjects(self.library, other).nothing_said(name, entered):
            return f"in {other}, {why}"
        steps = ("Next", "vars")
        if name == "Spec" and all(self.library.defines(other, part) for part in steps):
            for part in steps:
                if not self.variables(Name(f"{instance}!{part}")):
                    return f"{instance}!{part} is a constant"
        return None

    def variables(self, expression: Expression) -> frozenset[str]:
        """Return the variables of the module that an expression in it depends on."""
        return used_variables(self.library, self.module, expression, self.overrides)

    def _formula(self, name: str) -> Expression:
        """Return the formula that a property is, where it is another one's name: that one's."""
        seen = set[str]()
        while name not in seen:
            seen.add(name)
            formula = self.library.definition(self.module, name).body
            alias = formula.body if isinstance(formula, Prefix) and formula.operator == "[]" else formula
            meant = self.overrides.get(alias.name, alias.name) if isinstance(alias, Name) else ""
            if self.library.defines(self.module, meant):
                name = meant
        return formula

    def _used(self, formula: Expression) -> Iterator[Expression]:
        """Yield a formula, and what the names of the module that it uses stand for."""
        waiting, seen = [formula], set[str]()
        while waiting:
            current = waiting.pop()
            yield current
            for name in dict.fromkeys(names_in(current)):
                if name not in seen and self.library.defines(self.module, name):
                    seen.add(name)
                    waiting.append(self.library.definition(self.module, name).body)


def _steps(formula: Expression) -> Iterator[Step]:
    """Yield each ``[A]_v`` behind a ``[]`` of a formula."""
    for part in within(formula):
        if isinstance(part, Prefix) and part.operator == "[]" and isinstance(part.body, Step):
            yield part.body
