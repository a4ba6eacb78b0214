r"""All mutants of a spec in one module: a variable chooses the mutant, each run of TLC follows many of them at once.

The next-state relation is written again, down to its actions as TLC names them. Each is what it is, or what a mutant
makes of it, by ``CASE``; so is each operator that an action uses. Definitions that properties read are not changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.models.behaviour_formula import behaviours_of, reached, relations_in
from pyharness.mutants.specs.spec_mutant import Assigned, SpecMutant, changes, with_occurrences
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import expression_text
from pyharness.tla.modules.formula_facts import used_variables
from pyharness.tla.modules.module import ACTION, STATE, TEMPORAL
from pyharness.tla.plain_models.plain_model import OWN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel

MUTANT: Final = f"{OWN}Mutant"
"""The variable that chooses the mutant."""

_INITIALLY: Final = f"{OWN}Initially"
BEGINS: Final = f"{OWN}Begins0"
FOLLOWING: Final = f"{OWN}Following"
FAIRLY: Final = f"{OWN}Fairly"
"""Where behaviours of the mutants begin, how they go on, and the complete formula, with fairness."""

_TELL: Final = f"{OWN}Tell"
WATCH: Final = f"{OWN}Watch"
WATCH_STEPS: Final = f"{OWN}WatchSteps"

NOW: Final = f'<<"{OWN}Now", '
"""The beginning of a line in which TLC prints the mutant at which it is."""

_ACTION: Final = re.compile(rf"{OWN}Action\d+_(\w+)")
_IDENTIFIER: Final = re.compile(r"\w+")


def action_of(label: str | None) -> str:
    """Return the name of the user's action that TLC's label of a step means."""
    found = _ACTION.fullmatch(label or "")
    return found[1] if found else (label or "").removeprefix(OWN)


@dataclass
class MutantModule:
    """The mutants of a model, and what the module is made of; ``text_with`` writes it for some of them.

    ``definitions`` are texts, each with the mutant that it is of, ``states`` and ``steps`` lines of conjunctions that
    are evaluated in each state, and at each step.
    """

    model: PlainModel
    mutants: list[SpecMutant] = field(default_factory=list)
    definitions: list[tuple[str, int | None]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def text_with(self, alive: Collection[int], most: int) -> tuple[list[str], dict[int, int]]:
        """Return the lines beside the root's own for the mutants that are ``alive``, and by line whose each is.

        ``most`` bounds how often states of a mutant are looked at. The others are written without what they change:
        SANY may refuse it, and TLC takes its time for it. TLC prints at which mutant it is, for where it cannot go on.
        """
        lines = [
            f"VARIABLE {MUTANT}",
            f"ASSUME {OWN}Begin({len(self.mutants)})",
            f"{_TELL} == {OWN}Now({MUTANT})",
        ]
        of: dict[int, int] = {}
        chosen = ", ".join(map(str, sorted(alive)))
        begins = f"{BEGINS} ==\n  /\\ {MUTANT} \\in {{{chosen}}}\n  /\\ {_TELL}\n  /\\ {_INITIALLY}"
        for text, mutant in _declared_first([*self.definitions, (begins, None)]):
            if mutant is not None and mutant > 0 and mutant not in alive:
                lines.append(f"{text.partition(' ==')[0]} == FALSE")
                continue
            for line in text.split("\n"):
                lines.append(line)
                if mutant is not None:
                    of[len(lines) - 1] = mutant
        lines += [f"{WATCH} ==", f"  /\\ {_TELL}", f"  /\\ {OWN}Followed({MUTANT}, {most})", *self.states]
        lines += [f"{WATCH_STEPS} ==", "  /\\ TRUE", *self.steps]
        return lines, of


def mutant_module(model: PlainModel) -> MutantModule:
    """Make all mutants of a model. Raises SpecError where its behaviours are those of another module's instance."""
    return _Builder(model).made()


class _Builder:
    def __init__(self, model: PlainModel) -> None:
        self._model = model
        self._library = model.library
        self._module = model.module
        self._visible = self._library.visible(self._module)
        self._made = MutantModule(model)
        self._actions = 0
        self._dropped: dict[int, int] = {}
        self._arms_of: dict[tuple[int, tuple[str, ...]], list[tuple[Expression, Expression]]] = {}
        self._behaviours = behaviours_of(model)
        self._of_init = self._reached(ast.names_in(self._behaviours.init))
        self._of_next = self._reached(ast.names_in(self._behaviours.next))
        self._fixed = self._reached(self._read_by_properties())
        self._changed = self._modules()
        self._skeleton: set[str] = set()
        self._descended: set[str] = set()
        self._leaves: list[Expression] = []
        self._mixed: frozenset[str] = frozenset()
        self._find_all()
        self._names = self._copied()
        steps = frozenset(name for name in self._of_next if self._visible[name].level >= ACTION)
        first = frozenset(name for name in self._of_init if self._visible[name].level >= STATE)
        self._in_steps = Assigned(steps, steps)
        operators = first | self._library.constants(self._module)
        self._at_first = Assigned(operators, first, frozenset(model.variables))

    def made(self) -> MutantModule:
        initially = ast.replaced(self._behaviours.init, self._names)
        for name in [*self._of_next, *(n for n in self._of_init if n not in self._of_next)]:
            if name in self._names:
                self._helper(self._visible[name])
        following = self._relation(self._behaviours.next, None, (), (), frozenset())
        self._emit(_INITIALLY, (), initially, None)
        self._emit(FOLLOWING, (), following, None)
        fair = [self._fairness(each) for each in self._behaviours.fair]
        variables = ast.Listed("<<", tuple(ast.Name(each) for each in (*self._model.variables, MUTANT)))
        relation = ast.Prefix("[]", ast.Boxed("[", ast.Name(FOLLOWING), variables))
        self._emit(FAIRLY, (), ast.Junction("/\\", (ast.Name(BEGINS), relation, *fair)), None)
        self._made.mutants = with_occurrences(self._made.mutants)
        return self._made

    # -- which definitions ------------------------------------------------------------------------------------------

    def _reached(self, names: Iterable[str]) -> dict[str, None]:
        """Return the definitions that names lead to, in the order in which they are met."""
        return reached(self._library, self._module, names)

    def _read_by_properties(self) -> Iterator[str]:
        config = self._model.config
        yield from (*config.constraints, *config.action_constraints)
        for name in config.invariants:
            if relations_in(self._model, name):
                yield from self._read_beside_actions(self._visible[name].uses)
            else:
                yield name
        for name in config.properties:
            yield name
        yield from (each.name for each in config.constants)
        yield from (each.value for each in config.constants if each.stands_in)

    def _read_beside_actions(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the definitions that names lead to, but not those that only the actions among them use."""
        done, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name in done or name not in self._visible:
                continue
            done.add(name)
            if not (name in self._of_next and self._visible[name].level >= ACTION):
                yield name
                waiting += self._visible[name].uses

    def _is_changed(self, definition: Definition) -> bool:
        return definition.module.partition("!")[0] in self._changed

    def _may_change(self, name: str) -> bool:
        definition = self._visible[name]
        return (
            name not in self._fixed
            and name not in self._skeleton
            and _IDENTIFIER.fullmatch(name) is not None
            and definition.level < TEMPORAL
            and (definition.level >= STATE or bool(definition.parameters))
            and name not in self._reached(definition.uses)
            and not any("(" in parameter for parameter in definition.parameters)
            and self._is_changed(definition)
        )

    def _modules(self) -> frozenset[str]:
        """Return the modules whose definitions are changed: those beside the user's, unless the model names them."""
        if self._model.changed is not None:
            return self._model.changed
        own = self._model.path.parent.resolve()
        needed = self._library.closure(self._module, instances=True)
        return frozenset(module.name for module in needed if module.path.parent.resolve() == own)

    def _copied(self) -> dict[str, Expression]:
        """Return the names of the operators that are copied: what may be changed, and what uses such."""
        found = {name for name in (*self._of_init, *self._of_next) if self._may_change(name)}
        while True:
            more = {
                name
                for name in (*self._of_init, *self._of_next)
                if name not in found
                and name not in self._skeleton
                and _IDENTIFIER.fullmatch(name)
                and name not in self._reached(self._visible[name].uses)
                and not set(self._visible[name].uses).isdisjoint(found)
            }
            if not more:
                return {name: ast.Name(f"{OWN}Copy_{name}") for name in found}
            found |= more

    # -- the next-state relation ------------------------------------------------------------------------------------

    def _is_constant(self, values: Iterable[Expression | None]) -> bool:
        return not any(
            value is not None and used_variables(self._library, self._module, value) for value in values
        )

    def _find_all(self) -> None:
        """Find what is descended into: no action that is used elsewhere, too, where it would stay what it is."""
        while True:
            self._skeleton, self._descended, self._leaves = set(), set(), []
            self._find_skeleton(self._behaviours.next, frozenset())
            elsewhere = self._reached(name for leaf in self._leaves for name in ast.names_in(leaf))
            mixed = self._mixed | self._descended & set(elsewhere)
            if mixed == self._mixed:
                return
            self._mixed = mixed

    def _find_skeleton(self, formula: Expression, entered: frozenset[str]) -> None:
        match formula:
            case ast.Junction("\\/", items):
                for item in items:
                    self._find_skeleton(item, entered)
            case ast.Infix("\\/", left, right):
                self._find_skeleton(left, entered)
                self._find_skeleton(right, entered)
            case ast.Quantification("\\E", bounds, body) if self._is_constant(b.domain for b in bounds):
                self._skeleton |= set(
                    self._reached(n for b in bounds if b.domain for n in ast.names_in(b.domain))
                )
                self._find_skeleton(body, entered)
            case ast.Let(definitions, body, recursive):
                self._leaves.append(ast.Let(definitions, ast.Name("TRUE"), recursive))
                self._find_skeleton(body, entered)
            case ast.Name(called) | ast.Call(called, _) if self._is_descended(formula, called, entered):
                arguments = formula.arguments if isinstance(formula, ast.Call) else ()
                self._descended.add(called)
                self._skeleton |= {called, *self._reached(n for a in arguments for n in ast.names_in(a))}
                self._find_skeleton(self._visible[called].body, entered | {called})
            case _:
                self._leaves.append(formula)

    def _is_descended(self, formula: Expression, called: str, entered: frozenset[str]) -> bool:
        if (
            called in entered
            or called in self._mixed
            or called not in self._visible
            or not _IDENTIFIER.fullmatch(called)
        ):
            return False
        arguments = formula.arguments if isinstance(formula, ast.Call) else ()
        return self._is_constant(arguments) and self._visible[called].level < TEMPORAL

    def _relation(
        self,
        formula: Expression,
        home: Definition | None,
        scope: tuple[str, ...],
        guards: tuple[int, ...],
        entered: frozenset[str],
    ) -> Expression:
        """Write a part of the relation again, which stands in ``home``, where the names of the ``scope`` are bound.

        The ``guards`` are mutants that have dropped it.
        """
        match formula:
            case ast.Junction("\\/", items):
                return ast.Junction("\\/", tuple(self._way(i, home, scope, guards, entered) for i in items))
            case ast.Infix("\\/", left, right):
                ways = tuple(self._way(each, home, scope, guards, entered) for each in (left, right))
                return ast.Infix("\\/", *ways)
            case ast.Quantification("\\E", bounds, body) if self._is_constant(b.domain for b in bounds):
                inner = (*scope, *(name for bound in bounds for name in bound.names))
                return ast.Quantification("\\E", bounds, self._relation(body, home, inner, guards, entered))
            case ast.Let(definitions, body, recursive):
                relation = self._relation(body, home, (), guards, entered)
                copied = ast.replaced(ast.Let(definitions, ast.Name("TRUE"), recursive), self._names)
                return (
                    ast.Let(copied.definitions, relation, recursive)
                    if isinstance(copied, ast.Let)
                    else relation
                )
            case ast.Name(called) | ast.Call(called, _) if self._is_descended(formula, called, entered):
                definition = self._visible[called]
                self._actions += 1
                name = f"{OWN}Action{self._actions}_{called}"
                inner = tuple(definition.parameters)
                body = self._relation(definition.body, definition, inner, guards, entered | {called})
                self._emit(name, definition.parameters, body, None)
                return ast.Call(name, formula.arguments) if isinstance(formula, ast.Call) else ast.Name(name)
        return self._leaf(formula, home, scope, guards)

    def _fairness(self, formula: Expression) -> Expression:
        """Return the fairness of the mutants: that of the spec, with the actions as the mutants have them."""
        match formula:
            case ast.Fair(kind, subscript, action):
                return ast.Fair(kind, subscript, self._relation(action, None, (), (), frozenset()))
            case ast.Name(name) | ast.Call(name, _) if (
                name in self._visible and self._visible[name].level == TEMPORAL
            ):
                definition = self._visible[name]
                self._actions += 1
                own = f"{OWN}Fair{self._actions}_{name}"
                self._emit(own, definition.parameters, self._fairness(definition.body), None)
                return ast.Call(own, formula.arguments) if isinstance(formula, ast.Call) else ast.Name(own)
        return ast.rebuilt(formula, self._fairness)

    def _way(
        self,
        item: Expression,
        home: Definition | None,
        scope: tuple[str, ...],
        guards: tuple[int, ...],
        entered: frozenset[str],
    ) -> Expression:
        if home is None or not self._is_changed(home):
            return self._relation(item, home, scope, guards, entered)
        if id(item) not in self._dropped:
            self._dropped[id(item)] = self._add(
                home, "an alternative is dropped", item, None, self._line(home, item)
            )
        return self._relation(item, home, scope, (*guards, self._dropped[id(item)]), entered)

    def _leaf(
        self, formula: Expression, home: Definition | None, scope: tuple[str, ...], guards: tuple[int, ...]
    ) -> Expression:
        """Return an action: what it is, or what a mutant makes of it, and the mutant stays what it is."""
        parts: list[Expression] = [
            ast.Name(_TELL),
            ast.Infix("=", ast.Prime(ast.Name(MUTANT)), ast.Name(MUTANT)),
        ]
        if guards:
            dropped = ast.Listed("{", tuple(ast.Literal(str(number)) for number in guards))
            parts.insert(0, ast.Infix("\\notin", ast.Name(MUTANT), dropped))
        plain = ast.replaced(formula, self._names)
        bound = not any("(" in name for name in scope) and not isinstance(formula, ast.Let)
        arms: list[tuple[Expression, Expression]] = []
        if home is not None and self._is_changed(home) and bound and self._sees_all_bound(formula, home):
            key = (id(formula), scope)
            if key not in self._arms_of:
                self._arms_of[key] = self._arms(formula, home, scope, self._in_steps)
            arms = self._arms_of[key]
        return ast.Junction(
            "/\\", (*parts, ast.CaseOf((*arms, (ast.Name("OTHER"), plain))) if arms else plain)
        )

    def _sees_all_bound(self, formula: Expression, home: Definition) -> bool:
        """Return whether no LET binds names around a part of a definition, which a mutant of it could not see."""
        return not any(
            isinstance(each, ast.Let) and any(part is formula for part in ast.within(each.body))
            for each in ast.within(home.body)
        )

    def _helper(self, definition: Definition) -> None:
        """Copy an operator, with what mutants make of it."""
        plain = ast.replaced(definition.body, self._names)
        arms = []
        if self._may_change(definition.name):
            assigned = self._in_steps if definition.name in self._of_next else self._at_first
            arms = self._arms(definition.body, definition, definition.parameters, assigned)
        body = ast.CaseOf((*arms, (ast.Name("OTHER"), plain))) if arms else plain
        name = self._names[definition.name]
        self._emit(name.name if isinstance(name, ast.Name) else "", definition.parameters, body, None)

    def _arms(
        self, formula: Expression, home: Definition, scope: Sequence[str], assigned: Assigned
    ) -> list[tuple[Expression, Expression]]:
        """Make the mutants of a part of a definition, each a definition of its own."""
        arms: list[tuple[Expression, Expression]] = []
        parts = list(ast.within(formula))
        for change in changes(formula, assigned):
            line = self._line(home, parts[change.at])
            if change.new is None or change.old is not parts[change.at]:
                line = self._line(home, change.old)
            number = self._add(home, change.kind, change.old, change.new, line)
            name = f"{OWN}Mutant{number}"
            self._emit(name, tuple(scope), ast.replaced(change.result, self._names), number)
            call = ast.Call(name, tuple(ast.Name(each) for each in scope)) if scope else ast.Name(name)
            arms.append((ast.Infix("=", ast.Name(MUTANT), ast.Literal(str(number))), call))
        return arms

    def _add(self, home: Definition, kind: str, old: Expression, new: Expression | None, line: int) -> int:
        number = len(self._made.mutants) + 1
        self._made.mutants.append(SpecMutant(number, home.name, self._file_of(home), line, kind, old, new))
        return number

    def _file_of(self, home: Definition) -> str:
        """Return the module in whose file a definition stands, which an instance without a name may have brought."""
        module = self._library.module(home.module)
        for other in module.unnamed:
            own = self._library.visible(other).get(home.name)
            if own is not None and own.line == home.line:
                return own.module.partition("!")[0]
        return home.module.partition("!")[0]

    def _line(self, home: Definition, part: Expression) -> int:
        for each, line in zip(ast.within(home.body), home.lines, strict=False):
            if each is part:
                return line
        return home.line

    def _emit(self, name: str, parameters: Sequence[str], body: Expression, mutant: int | None) -> None:
        """Write a definition; what it binds has names that no module of the user's declares."""
        given = {p.partition("(")[0]: ast.Name(p.partition("(")[0] + OWN) for p in parameters}
        renamed = ast.apart(body, given, OWN)
        heads = [given[p.partition("(")[0]].name + p[len(p.partition("(")[0]) :] for p in parameters]
        head = f"{name}({', '.join(heads)})" if heads else name
        self._made.definitions.append((f"{head} ==\n  {expression_text(renamed, 2)}", mutant))


def _declared_first(definitions: list[tuple[str, int | None]]) -> list[tuple[str, int | None]]:
    """Return definitions so that each comes after those that it uses."""
    named = {text.partition(" ==")[0].partition("(")[0]: (text, mutant) for text, mutant in definitions}
    done: dict[str, tuple[str, int | None]] = {}

    def add(name: str) -> None:
        if name in done:
            return
        text, mutant = named[name]
        for used in dict.fromkeys(re.findall(rf"\b{OWN}\w+", text)):
            if used != name and used in named and used not in done:
                add(used)
        done[name] = (text, mutant)

    for name in named:
        add(name)
    return list(done.values())
