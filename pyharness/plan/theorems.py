r"""What the theorems of a module state of the formula that a model follows, and under which hypotheses.

A model that is to pass checks a property for its theorem: the hypotheses must hold in it, what is fair must be what the
model takes, and ``[]`` must stand where the property is about states. Otherwise the theorem would go further than any
check, or say less than it seems to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pyharness.errors import SpecError
from pyharness.plan.followed_formula import fairness_of, require_followed
from pyharness.plan.formula_level import is_about_states, says_states_only
from pyharness.plan.formula_parts import bare, parts
from pyharness.plan.spec_text import one_spelling, within_module, without_comments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.plan.spec_modules import Library, Module

__all__ = ["ASSUMED", "Hypothesis", "Theorem", "require_fairness", "stated_by_theorems", "theorems_of"]

_STATEMENT: Final = re.compile(
    r"^(?:THEOREM|LEMMA|COROLLARY|PROPOSITION)\b[ \t]*(?:\w+\s*==)?(.*(?:\n(?!\S).*)*)", re.MULTILINE
)
_PROOF: Final = re.compile(r"<\d+>|<\*>|\b(?:PROOF|BY|OBVIOUS|OMITTED)\b")
_ASSUMED: Final = re.compile(r"\s*ASSUME\b(.*)\bPROVE\b(.*)", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


Kind = Literal["each", "first", "behaviour"]

ASSUMED: Final = "Assumed"
"""What the name of a hypothesis in a model begins with."""


class Hypothesis(NamedTuple):
    """What a theorem assumes: its ``text``, and the ``formula`` that TLC is asked for in a model.

    Its ``kind`` is ``each`` for what is assumed of each state, ``first`` for what is assumed of the constants or of the
    state in which a behaviour begins, and ``behaviour`` for what is assumed of whole behaviours. It stands in a model
    under its ``name``, which is made of the formula's words.
    """

    text: str
    formula: str
    kind: Kind
    name: str


@dataclass(frozen=True, slots=True)
class Theorem:
    """That the formula which a model follows, under ``hypotheses``, has the property ``name``, with ``always`` or not.

    ``fair`` is what the formula says is fair; ``text`` is the statement in one line, and ``where`` it stands.
    """

    name: str
    always: bool
    hypotheses: tuple[Hypothesis, ...]
    fair: tuple[str, ...]
    text: str
    where: str


def theorems_of(library: Library, spec: str) -> dict[str, Theorem]:
    """Return by property what is stated in ``spec``, and in what it extends, of the formula that a model follows.

    Left out are theorems about another formula. Raises SpecError for a theorem that states something without a name,
    states a property as another one is stated, says of one about states that it holds at first, or of another that it
    always does.
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
        require_followed(library, spec)  # the theorems may be about a formula that is none of the model's
        prefix = library.prefix(spec)
        raise SpecError(
            f"no theorem of {spec} states a property of {prefix}Spec, so nothing would be checked",
            where=library.module(spec).path.name,
            hint=f"write THEOREM {prefix}Spec => []P, or say with --property what is to be checked",
        )
    return tuple(found.values())


def require_fairness(theorem: Theorem, fair: Sequence[str]) -> None:
    """Require that what a theorem about whole behaviours says is fair is what a model takes. Raises SpecError."""
    if theorem.fair != tuple(fair):
        raise SpecError(
            f"{theorem.name} is stated where {', '.join(theorem.fair) or 'nothing'} is fair, "
            f"and checked where {', '.join(fair) or 'nothing'} is",
            where=theorem.where,
            hint="a theorem states what its models check",
        )


def _stated_in(module: Module, library: Library, spec: str) -> Iterator[Theorem]:
    text = one_spelling(within_module(without_comments(module.text)))
    for match in _STATEMENT.finditer(text):
        statement = _PROOF.split(match[1])[0]
        where = f"{module.path.name}:{text.count(chr(10), 0, match.start()) + 1}"
        premises, stated = _sides(statement)
        fair, hypotheses = _formula_among(premises, library, spec)
        if fair is None:
            continue
        given = tuple(_hypothesis(each, library, spec) for each in hypotheses)
        for name, always in _names(bare(stated), always=False):
            if not _NAME.fullmatch(name) or not library.defines(spec, name):
                raise SpecError(
                    f"a theorem says {' '.join(name.split())}, which is no name of a definition",
                    where=where,
                    hint="give it a name, or say with --property what is to be checked",
                )
            if always != is_about_states(library, spec, name):
                said = "of each state, and it is about behaviours" if always else "of the first state alone"
                hint = f"write {name}" if always else f"write []{name}"
                raise SpecError(f"a theorem says {name} {said}", where=where, hint=hint)
            yield Theorem(name, always, given, fair, " ".join(statement.split()), where)


def _sides(statement: str) -> tuple[list[str], str]:
    """Return what a statement assumes, piece by piece, and what it says then."""
    premises: list[str] = []
    if assumed := _ASSUMED.fullmatch(statement):
        premises, statement = parts(assumed[1], ","), assumed[2]
    while len(sides := parts(bare(statement), "=>", most=1)) > 1:
        premises.append(sides[0])
        statement = sides[1]
    return list(_conjuncts(premises)), statement


def _conjuncts(formulas: Iterable[str]) -> Iterator[str]:
    for formula in formulas:
        inner = bare(formula)
        within = parts(inner, "/\\")
        if len(within) > 1 and not inner.startswith(("\\A", "\\E")) and len(parts(inner, "\\/")) == 1:
            yield from _conjuncts(within)
        elif inner:
            yield inner


def _formula_among(
    premises: Sequence[str], library: Library, spec: str
) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return what is fair in the formula that a model follows, if it is among the premises, and the others."""
    followed = next((each for each in premises if fairness_of(library, spec, each) is not None), None)
    if followed is None:
        whole = fairness_of(library, spec, " /\\ ".join(premises)) if premises else None
        return whole, []
    others = [each for each in premises if each is not followed]
    with_fairness = [
        each for each in others if fairness_of(library, spec, f"{followed} /\\ {each}") is not None
    ]
    fair = fairness_of(library, spec, " /\\ ".join([followed, *with_fairness]))
    return fair, [each for each in others if each not in with_fairness]


def _hypothesis(text: str, library: Library, spec: str) -> Hypothesis:
    """Return a hypothesis; of one that is an implication about behaviours, what it implies is asked for."""
    line = " ".join(text.split())
    formula = line
    kind: Kind = "first"
    if not says_states_only(library, spec, line):
        formula, kind = parts(line, "=>")[-1].strip(), "behaviour"
        if formula.startswith("[]") and says_states_only(library, spec, formula[2:]):
            formula, kind = formula[2:].strip(), "each"
    name = ASSUMED + "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", formula))
    return Hypothesis(line, formula, kind, name)


def _names(formula: str, *, always: bool) -> Iterator[tuple[str, bool]]:
    """Yield the conjuncts of a formula, and whether "always" is before each."""
    for part in parts(formula, "/\\"):
        inner = bare(part)
        if inner.startswith("[]") and not inner.startswith("[]["):
            yield from _names(bare(inner[2:]), always=True)
        elif len(parts(inner, "/\\")) > 1:
            yield from _names(inner, always=always)
        elif inner:
            yield inner, always
