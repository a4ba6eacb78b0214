"""The formula that a model follows, and the theorems of a module about it, with their hypotheses.

A model runs on graphs, and is made of ``Init`` and ``Next``. If the module's own ``Spec`` is another formula, the model
would check another specification than the module states, so that is refused.

A model that is to pass checks a property for its theorem: the hypotheses must hold in the model, the theorem's fairness
must be the model's, and ``[]`` must stand before a property about states. Otherwise the theorem would claim more than
any check shows, or less than it seems to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Fair, Infix, Name, Prefix, joined, row, within
from pyharness.tla.modules.formula_facts import about_states_only, is_about_states

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.modules.module import Module, Statement


NO_GRAPHS: Final = "extends no module that runs on graphs, and every model here is about some"
"""The message about a spec without graphs, after its name."""

ON_GRAPHS: Final = "extend a shipped protocol, or Colours, or Application and declare the variable topo"
"""The hint for a spec without graphs, or without the variable topo."""


def runs_on_graphs(library: Library, spec: str) -> bool:
    """Return whether a module has the constant ``Graphs``, which ``Application`` declares."""
    return "Graphs" in library.constants(spec)


def require_graphs(library: Library, spec: str) -> None:
    """Raise SpecError for a module that runs on no graphs: TLC would complain of a rendered module instead."""
    if not runs_on_graphs(library, spec):
        raise SpecError(f"{spec} {NO_GRAPHS}", where=library.path(spec).name, hint=ON_GRAPHS)


_SPEC: Final = re.compile(r"\w*Spec\w*")


def fairness_of(library: Library, spec: str, formula: Expression) -> tuple[str, ...] | None:
    r"""Return the fairness conjuncts of a formula ``Init /\ [][Next]_vars``; ``None`` if it has other conjuncts.

    Each is the name of a definition, or the text of the conjunct.
    """
    prefix = library.prefix(spec)
    needed, fair = {f"{prefix}Init", f"{prefix}Next"}, []
    waiting, seen = [formula], set[object]()
    while waiting:
        part = waiting.pop(0)
        conjuncts = row("/\\", part)
        match part:
            case _ if len(conjuncts) > 1 or conjuncts[0] != part:
                waiting = [*conjuncts, *waiting]
            case Prefix("[]", Boxed("[", Name(part_name), _)) | Name(part_name) if part_name in needed:
                needed.discard(part_name)
            case _ if part in seen:
                continue
            case _ if _is_fairness(part):
                fair.append(on_one_line(part))
            case Name(name) if library.defines(spec, name):
                seen.add(part)
                body = library.definition(spec, name).body
                if _is_fairness(body) and not _has_box(body) and part != formula:
                    fair.append(name)
                else:
                    waiting.insert(0, body)
            case _:
                return None
    return None if needed else tuple(fair)


def require_followed(library: Library, spec: str) -> None:
    """Require that a module defines the parts of a model, and that one of its own ``Spec`` formulas, if any, is theirs.

    Raises SpecError.
    """
    module = library.module(spec)
    if "topo" not in library.variables(spec):
        raise SpecError(f"{spec} has no variable topo", where=module.path.name, hint=ON_GRAPHS)
    prefix = library.prefix(spec)
    for name in (f"{prefix}Init", f"{prefix.lower()}vars"):
        if not library.defines(spec, name):
            raise SpecError(
                f"{spec} does not define {name}",
                where=module.path.name,
                hint=f"a model is made of {prefix}Init, {prefix}Next and {prefix.lower()}vars, all variables",
            )
    own = [d for d in module.definitions.values() if _SPEC.fullmatch(d.name) and _is_specification(d.body)]
    if own and all(fairness_of(library, spec, Name(each.name)) is None for each in own):
        followed = f"{prefix}Init /\\ [][{prefix}Next]_{prefix.lower()}vars"
        raise SpecError(
            f"{own[0].name} is not {followed}, which is the formula that a model follows",
            where=f"{module.path.name}:{own[0].line}",
            hint="name its parts Init, Next and vars, in this module: otherwise another specification would be checked",
        )


def _is_specification(formula: Expression) -> bool:
    conjuncts = row("/\\", formula)
    return len(conjuncts) > 1 and any(
        isinstance(each, Prefix) and isinstance(each.body, Boxed) for each in conjuncts
    )


def _is_fairness(formula: Expression) -> bool:
    return any(isinstance(part, Fair) for part in within(formula))


def _has_box(formula: Expression) -> bool:
    return any(isinstance(part, Boxed) for part in within(formula))


Kind = Literal["each", "first", "behaviour"]

ASSUMED: Final = "Assumed"
"""The prefix of the name of a hypothesis in a model."""


class Hypothesis(NamedTuple):
    """A hypothesis of a theorem: its ``text``, the ``stated`` expression, and the ``formula`` that TLC checks in a model.

    Its ``kind`` is ``each`` if it is about each state, ``first`` if about the constants or the initial state, and
    ``behaviour`` if it is temporal. It stands in a model under its ``name``, which is made of the formula's words.
    """

    text: str
    formula: str
    kind: Kind
    name: str
    stated: Expression


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem: under ``hypotheses``, the formula that a model follows implies the property ``name``, or ``[]`` of it.

    ``always`` is whether ``[]`` stands before the name; ``fair`` are the formula's fairness conjuncts; ``text`` is the
    statement in one line, and ``where`` its file and line.
    """

    name: str
    always: bool
    hypotheses: tuple[Hypothesis, ...]
    fair: tuple[str, ...]
    text: str
    where: str


def theorems_of(library: Library, spec: str) -> dict[str, Theorem]:
    """Return, by property, the theorems of ``spec`` and the modules it extends about the formula that a model follows.

    Theorems about another formula are left out. Raises SpecError for a theorem that states a formula without a name,
    states a property under other hypotheses than another theorem does, lacks ``[]`` before a property about states, or
    has it before another property.
    """
    return library.once("theorems", spec, of=partial(_theorems_of, library, spec))


def _theorems_of(library: Library, spec: str) -> dict[str, Theorem]:
    found: dict[str, Theorem] = {}
    for module in library.closure(spec):
        own: dict[str, Theorem] = {}
        for each in _stated_in(module, library, spec):
            if own.setdefault(each.name, each).hypotheses != each.hypotheses:
                raise SpecError(
                    f"{each.name} is stated twice, under different hypotheses",
                    where=each.where,
                    hint="a theorem is checked where its hypotheses hold: give the weaker claim a name of its own",
                )
        found = own | found
    return found


def stated_by_theorems(library: Library, spec: str) -> tuple[Theorem, ...]:
    """Return the theorems of ``spec`` about the formula that a model follows.

    Raises SpecError for a theorem about the formula that states something without a name, and where nothing is stated.
    """
    found = theorems_of(library, spec)
    if not found:
        require_followed(library, spec)  # the theorems may be about a formula that is not the model's
        prefix = library.prefix(spec)
        raise SpecError(
            f"no theorem of {spec} states a property of {prefix}Spec, so nothing would be checked",
            where=library.module(spec).path.name,
            hint=f"write THEOREM {prefix}Spec => []P, or name with --property what is to be checked",
        )
    return tuple(found.values())


def require_fairness(theorem: Theorem, fair: Sequence[str]) -> None:
    """Require that the fairness in the theorem of a temporal property is the model's. Raises SpecError."""
    if theorem.fair != tuple(fair):
        raise SpecError(
            f"{theorem.name} is stated where {', '.join(theorem.fair) or 'nothing'} is fair, "
            f"and checked where {', '.join(fair) or 'nothing'} is",
            where=theorem.where,
            hint="a theorem states what its models check",
        )


def _stated_in(module: Module, library: Library, spec: str) -> Iterator[Theorem]:
    for statement in (each for each in module.statements if each.kind == "theorem"):
        where = f"{module.path.name}:{statement.line}"
        premises, stated = _sides(statement)
        fair, hypotheses = _formula_among(premises, library, spec)
        if fair is None:
            continue
        if statement.new:
            raise SpecError(
                f"a theorem about the formula that a model follows speaks of NEW {statement.new[0]}",
                where=where,
                hint="no model has a value for that: state it of the constants and variables of the module",
            )
        given = tuple(_hypothesis(each, library, spec) for each in hypotheses)
        text = _text(statement)
        for formula, always in _conjuncts_of(stated, always=False):
            name = formula.name if isinstance(formula, Name) else ""
            if not library.defines(spec, name):
                raise SpecError(
                    f"a theorem states {on_one_line(formula)}, which is not the name of a definition",
                    where=where,
                    hint="give it a name, or name with --property what is to be checked",
                )
            if always != is_about_states(library, spec, name):
                problem = (
                    "of each state, and it is about behaviours" if always else "of the first state alone"
                )
                hint = f"write {name}" if always else f"write []{name}"
                raise SpecError(f"a theorem states {name} {problem}", where=where, hint=hint)
            yield Theorem(name, always, given, fair, text, where)


def _text(statement: Statement) -> str:
    """Return a theorem in one line."""
    formula = on_one_line(statement.formula)
    assumed = ", ".join(map(on_one_line, statement.assumed))
    return f"ASSUME {assumed} PROVE {formula}" if assumed else formula


def _sides(statement: Statement) -> tuple[list[Expression], Expression]:
    """Return the conjuncts that a statement assumes, by ASSUME or before ``=>``, and the formula that it proves."""
    premises, stated = list(statement.assumed), statement.formula
    while isinstance(stated, Infix) and stated.operator == "=>":
        premises.append(stated.left)
        stated = stated.right
    return [part for each in premises for part in _conjuncts(each)], stated


def _conjuncts(formula: Expression) -> Iterator[Expression]:
    parts = row("/\\", formula)
    if parts == (formula,):
        yield formula
    else:
        for part in parts:
            yield from _conjuncts(part)


def _formula_among(
    premises: Sequence[Expression], library: Library, spec: str
) -> tuple[tuple[str, ...] | None, list[Expression]]:
    """Return the fairness of the formula that a model follows, ``None`` if no premise is it, and the other premises."""

    def fairness(*formulas: Expression) -> tuple[str, ...] | None:
        return fairness_of(library, spec, joined("/\\", formulas)) if formulas else None

    followed = next((each for each in premises if fairness(each) is not None), None)
    if followed is None:
        return fairness(*premises), []
    others = [each for each in premises if each is not followed]
    with_fairness = [each for each in others if fairness(followed, each) is not None]
    return fairness(followed, *with_fairness), [each for each in others if each not in with_fairness]


def _hypothesis(stated: Expression, library: Library, spec: str) -> Hypothesis:
    """Return a premise of a theorem as a hypothesis; if it is an implication about behaviours, its conclusion is checked."""
    formula = stated
    kind: Kind = "first"
    if not about_states_only(library, spec, stated):
        kind = "behaviour"
        while isinstance(formula, Infix) and formula.operator == "=>":
            formula = formula.right
        if (
            isinstance(formula, Prefix)
            and formula.operator == "[]"
            and about_states_only(library, spec, formula.body)
            and not isinstance(formula.body, Boxed)
        ):
            formula, kind = formula.body, "each"
    text = on_one_line(formula)
    name = ASSUMED + "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", text))
    return Hypothesis(on_one_line(stated), text, kind, name, stated)


def _conjuncts_of(formula: Expression, *, always: bool) -> Iterator[tuple[Expression, bool]]:
    """Yield the conjuncts of a formula, and whether ``[]`` stands before each."""
    for part in _conjuncts(formula):
        if isinstance(part, Prefix) and part.operator == "[]" and not isinstance(part.body, Boxed):
            yield from _conjuncts_of(part.body, always=True)
        else:
            yield part, always
