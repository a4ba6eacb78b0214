"""What must be reached so that a check is not vacuous: the antecedent of each implication, and a channel state.

A property ``A => B`` holds in a model in which ``A`` never does, and then says nothing. For each implication in a
property's formula, :func:`antecedents` gives the state formula that must be true somewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library

__all__ = ["CHANNEL_STATE", "antecedents", "probes_of", "witnesses"]

CHANNEL_STATE: Final = "ChannelState"
"""The witness that a complete snapshot has a channel state that is not empty."""

_OPEN, _CLOSE = ("(", "[", "{", "<<"), (")", "]", "}", ">>")
_TOKEN: Final = re.compile(r"<=>|=>|~>|<<|>>|\|->|/\\|\\/|\\[A-Za-z]+|[A-Za-z_]\w*|\n[ ]*|[ ]+|.", re.DOTALL)


def witnesses(model: Model, library: Library) -> dict[str, str]:
    """Return what a model must reach, as state formulas by name.

    They are ``Property.1``, …, :data:`CHANNEL_STATE`, and the names in its ``reached``.
    """
    found = {}
    for prop in (*model.invariants, *model.properties):
        text = library.text_of(model.spec, prop)
        action = re.fullmatch(r"\s*\[\]\[(.*)\]_\w+\s*", text, re.DOTALL)
        formulas = (
            formula for formula in antecedents(action[1] if action else text) if _is_of_states(formula)
        )
        for number, formula in enumerate(formulas, start=1):
            found[f"{prop}.{number}"] = " ".join(formula.split())
    if library.defines(model.spec, "Complete"):
        found[CHANNEL_STATE] = r"Complete /\ \E c \in DOMAIN recChan : recChan[c] # << >>"
    return found | {name: name for name in model.reached}


def probes_of(model: Model, library: Library) -> dict[str, str]:
    """Return what the check of a model looks for beside its properties: the witnesses, if it is to pass."""
    return witnesses(model, library) if model.expect == "pass" else {}


def antecedents(formula: str) -> list[str]:
    r"""Return a witness for each implication of a formula in the project's style.

    That is: bullet lists of ``/\``, ``\A x \in S :``, ``LET … IN`` and ``=>``, each with a formula behind it; both
    sides of ``<=>``; what stands before ``~>``; brackets around all of that, also with ``[]`` before them; whatever
    else is a leaf. The order is that of the text.
    """
    formula = _without_brackets(formula)
    start = formula.lstrip()
    if start.startswith("/\\"):
        return [witness for part in _bullets(formula) for witness in antecedents(part)]
    if start.startswith("\\A"):
        bound, rest = _split(formula, ":")
        quantifier = bound.replace("\\A", "\\E", 1).strip()
        return [f"{quantifier} : ({witness})" for witness in antecedents(rest)]
    if start.startswith("LET"):
        definitions, rest = _split(formula, "IN")
        return [f"{definitions.strip()} IN ({witness})" for witness in antecedents(rest)]
    left, rest = _split(formula, "<=>")
    if rest:
        return [left.strip(), f"~({left.strip()})"]
    left, rest = _split(formula, "=>")
    if rest:
        return [left.strip(), *(f"({left.strip()}) /\\ ({witness})" for witness in antecedents(rest))]
    left, rest = _split(formula, "~>")
    return [left.strip()] if rest else []


def _is_of_states(formula: str) -> bool:
    return re.search(r"<>|~>|\[\]|\w!Spec\b", formula) is None


def _without_brackets(formula: str) -> str:
    """Return a formula without a pair of brackets around all of it, each line in its old column."""
    opened = re.match(r"\s*(?:\[\])?\((?=.*\)\s*\Z)", formula, re.DOTALL)
    if opened is None:
        return formula
    before, inner = opened[0], formula[opened.end() : formula.rindex(")")]
    depth = 0
    for match in _TOKEN.finditer(inner):
        depth += (match[0] in _OPEN) - (match[0] in _CLOSE)
        if depth < 0:  # the first of several pairs
            return formula
    return _without_brackets(before.replace("[", " ").replace("]", " ").replace("(", " ") + inner)


def _split(text: str, at: str) -> tuple[str, str]:
    """Split at the first ``at`` outside all brackets; the second part, in its old column, is empty if there is none."""
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth += (token in _OPEN) - (token in _CLOSE)
        if depth == 0 and token == at:
            column = match.end() - (text.rfind("\n", 0, match.end()) + 1)
            return text[: match.start()], " " * column + text[match.end() :]
    return text, ""


def _bullets(text: str) -> list[str]:
    """Split a bullet list at the bullets that stand under the first one."""
    first = text.index("/\\")
    column = first - (text.rfind("\n", 0, first) + 1)
    starts = [
        match.start()
        for match in re.finditer(r"/\\", text)
        if match.start() - (text.rfind("\n", 0, match.start()) + 1) == column
    ]
    ends = [*starts[1:], len(text)]
    return [" " * (column + 2) + text[start + 2 : end] for start, end in zip(starts, ends, strict=True)]
