"""Refuse models whose properties are vacuous, so that a run would pass regardless of the spec.

Fairness: a spec's Fairness may contain WF and SF of its own actions, also under a condition, and nothing else. Such a
condition can be met from every state on. A condition that cannot, such as ``<>[]FALSE`` or the fairness of an action
outside the next-state relation, leaves no behaviour, so every property holds: TLC finds no error in it.

Subjects: the subjects of a formula are the variables that it depends on, through all definitions that it uses. A formula
that depends on none is a constant under any name: TLC finds it true without a state, or silently leaves it out. A
step property is vacuous, too, if its action is a constant, or if a step that breaks it leaves its subscript unchanged. A
formula that depends on a variable may still be always true: only simple forms of that, such as ``x = x``, are found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pyharness.base.errors import SpecError
from pyharness.machines.systems import PROTOCOLS
from pyharness.models.theorems import fairness_of, require_fairness, require_followed
from pyharness.models.witness import hidden_premise, premises
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.formula_facts import actions_of, is_about_states, level_of, used_variables
from pyharness.tla.modules.module import ACTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.models.model import Model
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library


def unfair(library: Library, spec: str, overrides: Mapping[str, str]) -> str | None:
    """Return the part of a spec's Fairness that is not WF or SF of an action of the spec, or ``None``.

    ``overrides`` maps operators to their replacements. Raises SpecError for a spec that defines no Fairness.
    """
    name = f"{library.prefix(spec)}Fairness"
    if not library.defines(spec, name):
        raise SpecError(f"{spec} does not define {name}")
    return _Reader(library, spec, overrides).wrong(ast.Name(name), frozenset())


class _Reader:
    def __init__(self, library: Library, spec: str, overrides: Mapping[str, str]) -> None:
        self._library = library
        self._spec = spec
        self._overrides = overrides
        own = library.relation(spec)
        relation = overrides.get(own, own)
        named = ast.names_in(library.definition(spec, relation).body)
        self._actions = {own, relation, *actions_of(library, spec, relation), *named}

    def wrong(self, formula: Expression, seen: frozenset[str]) -> str | None:
        """Return the first part of a formula that is not the fairness of an action, or ``None``."""
        match formula:
            case ast.Quantification("\\A", _, body):
                return self.wrong(body, seen)
            case ast.Infix("=>", _, body):  # weaker than its body, so it can be met where the body can
                return self.wrong(body, seen)
            case ast.Fair(_, _, action):
                return None if self._is_step(action, seen) else on_one_line(formula)
            case ast.Name(name) | ast.Call(name, _) if (meant := self._body(name, seen)) is not None:
                return self.wrong(meant, seen | {name})
        conjuncts = ast.row("/\\", formula)
        if conjuncts == (formula,):
            return on_one_line(formula)
        return next((found for part in conjuncts if (found := self.wrong(part, seen))), None)

    def _is_step(self, action: Expression, seen: frozenset[str]) -> bool:
        """Return whether each way to take an action is one of an action of the next-state relation."""
        match action:
            case ast.Quantification("\\E", _, body):
                return self._is_step(body, seen)
            case ast.Name(name) | ast.Call(name, _):
                if name in self._actions:
                    return True
                meant = self._body(name, seen)
                return meant is not None and self._is_step(meant, seen | {name})
        ways, conjuncts = ast.row("\\/", action), ast.row("/\\", action)
        if ways != (action,):
            return all(self._is_step(way, seen) for way in ways)
        return conjuncts != (action,) and any(self._is_step(each, seen) for each in conjuncts)

    def _body(self, name: str, seen: frozenset[str]) -> Expression | None:
        """Return the body of a name's definition; ``None`` if it was ``seen`` already or has no definition."""
        meant = self._overrides.get(name, name)
        if name in seen or not self._library.defines(self._spec, meant):
            return None
        return self._library.definition(self._spec, meant).body


@dataclass
class FormulaSubjects:
    """The subjects of the formulas of a module of ``library``, where ``overrides`` stand in for some operators."""

    library: Library
    module: str
    overrides: Mapping[str, str] = field(default_factory=dict)

    def why_vacuous(self, name: str, entered: frozenset[tuple[str, str]] = frozenset()) -> str | None:
        """Return why the property ``name`` of the module is vacuous, or ``None`` if no reason was found.

        ``entered`` are the modules and properties of instances on the way to here.
        """
        if why := self.constant(name, entered):
            return why
        for step in self._steps_of(name):
            if unseen := sorted(self.variables(step.action) - self.variables(step.subscript)):
                below = on_one_line(step.subscript)
                return f"a step that leaves {below} unchanged is not checked, regardless of what it does to {unseen[0]}"
        return None

    def constant(self, name: str, entered: frozenset[tuple[str, str]] = frozenset()) -> str | None:
        """Return why the property ``name`` of the module is true or false regardless of the state; ``None`` if it is not."""
        formula = self._formula(name)
        if why := self._why_instance_vacuous(formula, entered | {(self.module, name)}):
            return why
        if not self.variables(formula):
            return "it is a constant"
        if _is_always_true(formula):
            return "it is true for all values of its variables"
        for step in self._steps_of(name):
            if not self.variables(step.action):
                return f"[{on_one_line(step.action)}]_{on_one_line(step.subscript)} is a constant"
        return None

    def _steps_of(self, name: str) -> Iterator[ast.Boxed]:
        return (step for used in self._used(self._formula(name)) for step in _steps(used))

    def _why_instance_vacuous(self, formula: Expression, entered: frozenset[tuple[str, str]]) -> str | None:
        """Return why ``X!name`` is vacuous, by its substitutions or in its own module already; ``None`` if it is not."""
        while isinstance(formula, ast.Prefix) and formula.operator == "[]":
            formula = formula.body
        match formula:
            case ast.Name(used) if "!" in used:
                instance, _, name = used.partition("!")
            case ast.Member(applied, name, ()):
                instance, used = applied.name, f"{applied.name}!{name}"
            case _:
                return None
        found = self.library.of_instance(self.module, used)
        if found is None or (found[0].module, name) in entered:
            return None
        other = found[0].module
        if why := FormulaSubjects(self.library, other).why_vacuous(name, entered):
            return f"in {other}, {why}"
        steps = ("Next", "vars")
        if name == "Spec" and all(self.library.defines(other, part) for part in steps):
            for part in steps:
                if not self.variables(ast.Name(f"{instance}!{part}")):
                    return f"{instance}!{part} is a constant"
        return None

    def has_liveness(self, name: str) -> bool:
        """Return whether a property is about liveness: by <>, ~> or fairness, also in an instance of a module."""
        used = [ast.Name(name)] if "!" in name else list(self._used(self._formula(name)))
        if any(_is_liveness(part) for formula in used for part in ast.within(formula)):
            return True
        others = dict.fromkeys(n for formula in used for n in ast.names_in(formula) if "!" in n[:-1])
        for other in others:
            found = self.library.of_instance(self.module, other)
            if found is None:  # a formula that cannot be read may be about liveness
                return True
            if FormulaSubjects(self.library, found[0].module).has_liveness(other.partition("!")[2]):
                return True
        return False

    def leads_from_constant(self, name: str) -> bool:
        """Return whether a property has a ``P ~> Q`` in which P depends on no variable."""
        return any(
            isinstance(part, ast.Infix) and part.operator == "~>" and not self.variables(part.left)
            for formula in self._used(self._formula(name))
            for part in ast.within(formula)
        )

    def variables(self, expression: Expression) -> frozenset[str]:
        """Return the variables of the module that an expression in it depends on."""
        return used_variables(self.library, self.module, expression, self.overrides)

    def _formula(self, name: str) -> Expression:
        """Return the formula of a property, or, if it is only the name of another property, of that one."""
        seen = set[str]()
        while name not in seen:
            seen.add(name)
            formula = self.library.definition(self.module, name).body
            alias = formula.body if isinstance(formula, ast.Prefix) and formula.operator == "[]" else formula
            meant = self.overrides.get(alias.name, alias.name) if isinstance(alias, ast.Name) else ""
            if self.library.defines(self.module, meant):
                name = meant
        return formula

    def _used(self, formula: Expression) -> Iterator[Expression]:
        """Yield a formula, and the bodies of all definitions of the module that it uses."""
        waiting: list[tuple[Expression, Iterable[str]]] = [(formula, ast.names_in(formula))]
        seen = set[str]()
        while waiting:
            current, names = waiting.pop()
            yield current
            for name in dict.fromkeys(self.overrides.get(name, name) for name in names):
                if name not in seen and self.library.defines(self.module, name):
                    seen.add(name)
                    found = self.library.definition(self.module, name)
                    waiting.append((found.body, found.uses))


def _is_always_true(formula: Expression) -> bool:
    r"""Return whether a formula is true by its form alone: ``x = x``, ``P => P``, ``P \/ ~P``, or made of such parts."""
    match formula:
        case ast.Prefix("[]" | "<>", body):
            return _is_always_true(body)
        case ast.Infix("=" | "=>" | "<=>" | "\\equiv" | "\\subseteq", left, right) if left == right:
            return True
        case ast.Infix("=>" | "~>", _, right):
            return _is_always_true(right)
    conjuncts, disjuncts = ast.row("/\\", formula), ast.row("\\/", formula)
    if len(conjuncts) > 1:
        return all(map(_is_always_true, conjuncts))
    return len(disjuncts) > 1 and any(
        _is_always_true(each) or ast.Prefix("~", each) in disjuncts for each in disjuncts
    )


def _is_liveness(part: Expression) -> bool:
    operator = part.operator if isinstance(part, ast.Prefix | ast.Infix) else ""
    return isinstance(part, ast.Fair) or operator in {"<>", "~>", "-+->"}


def _steps(formula: Expression) -> Iterator[ast.Boxed]:
    """Yield each ``[A]_v`` that follows a ``[]`` in a formula."""
    for part in ast.within(formula):
        if isinstance(part, ast.Prefix) and part.operator == "[]" and isinstance(part.body, ast.Boxed):
            yield part.body


class ModelError(Protocol):
    """Makes the error of a model from a message, the key at fault, and a hint."""

    def __call__(self, message: str, key: str | None, hint: str | None = None) -> SpecError:
        """Return the error."""


def require_meaning(model: Model, library: Library, error: ModelError) -> None:
    """Require that no property of a model is plainly vacuous, by itself or by another key of the model.

    Raises the error that ``error`` makes of a message, the key of the model that is at fault, and a hint.
    """
    _followed(model, library, error)
    all_variables = f"{library.prefix(model.spec)}vars".lower()
    if all_variables in model.overrides:
        raise error(
            f"nothing may stand in for {all_variables}: a step that leaves it unchanged is not checked",
            "overrides",
        )
    subjects = FormulaSubjects(library, model.spec, model.overrides)
    given = (model.spec, *sorted(model.overrides.items()))
    for key in ("invariants", "properties"):
        for name in getattr(model, key):
            if why := library.once("vacuous", name, given, of=partial(subjects.why_vacuous, name)):
                raise error(f"{name} is vacuous: {why}", key, "no run could violate it")
            hidden = library.once(
                "hidden", name, given, of=partial(hidden_premise, library, model.spec, name)
            )
            if hidden:
                hint = f"state the implication in {model.spec} itself, over its own variables"
                raise error(f"{name}: TLC cannot check whether a premise in {hidden} ever holds", key, hint)
    fair = (f"{library.prefix(model.spec)}Fairness",) if model.fair else ()
    for theorem in model.theorems(library, (*model.invariants, *model.properties)):
        if is_endless(library, model.spec, theorem.name):
            require_fairness(theorem, fair)
    if model.expect == "pass":
        _premises(model, library, error)
        _endless(model, library, error)


def _followed(model: Model, library: Library, error: ModelError) -> None:
    """Require that the model follows the specification that its module states, with its fairness if that matters."""
    library.once("followed", model.spec, of=partial(require_followed, library, model.spec))
    formula = f"{library.prefix(model.spec)}Spec"
    if model.fair or not library.defines(model.spec, formula):
        return
    fair = fairness_of(library, model.spec, ast.Name(formula))
    coming = [name for name in model.properties if is_endless(library, model.spec, name)] if fair else []
    if fair and coming:
        name = f"{library.prefix(model.spec)}Fairness"
        raise error(
            f"{coming[0]} is a temporal property, and {formula} states what is fair: {fair[0]}",
            "fair",
            f"name that {name}, leave it out of {formula}, and ask for a model that is fair",
        )


def _premises(model: Model, library: Library, error: ModelError) -> None:
    """Require that the premise of each implication is about a state: TLC cannot look for a premise about a step."""
    for name, formula in premises(model, library).items():
        if level_of(library, model.spec, formula) >= ACTION:
            prop = name.rpartition(".")[0]
            raise error(
                f"{prop}: TLC cannot check whether there is a step with {on_one_line(formula)}",
                "properties" if prop in model.properties else "invariants",
                "state before => what holds in the state that the step leaves, and after it what the step does",
            )


def _endless(model: Model, library: Library, error: ModelError) -> None:
    """Require of a model that is to pass that temporal properties are checked of unbounded behaviours, and fair ones."""
    endless = [name for name in model.properties if is_endless(library, model.spec, name)]
    if endless and model.depth is not None:
        raise error(
            f"{endless[0]} is a temporal property, and no behaviour is followed beyond it",
            "depth",
            "remove it",
        )
    ends = {
        "",
        "Over",
        *(PROTOCOLS[m.name].stop for m in library.closure(model.spec) if m.name in PROTOCOLS),
    }
    if endless and (model.stop not in ends or model.stop in model.overrides):
        raise error(
            f"{endless[0]} is a temporal property, and no behaviour is followed beyond {model.stop}",
            "stop",
            'write stop = ""; only the end of the snapshot is as good',
        )
    if model.fair:
        try:
            wrong = unfair(library, model.spec, model.overrides)
        except SpecError as wrong_form:
            raise error(wrong_form.message, "fair") from None
        if wrong is not None:
            hint = "if no behaviour meets a condition, every property holds"
            raise error(f"{wrong} is not WF or SF of an action of {model.spec}", "fair", hint)


def is_endless(library: Library, spec: str, name: str) -> bool:
    """Return whether a property of a spec is temporal, about neither states nor steps, also through another name."""
    try:
        kind, _ = library.formula(spec, name)
    except SpecError:
        return True
    return kind == "state" and not is_about_states(library, spec, name)
