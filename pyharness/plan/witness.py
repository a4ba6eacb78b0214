"""What must be reached so that a check is not vacuous: the antecedent of each implication, and a channel state.

A property ``A => B`` holds in a model in which ``A`` never does, and then says nothing. For each implication in a
property's formula, :func:`antecedents` gives the state formula that must be true somewhere. A name stands for what it
is defined as: an implication behind it is one of the property, also where it is given arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from pyharness.plan.formula_parts import parts
from pyharness.plan.spec_text import without_strings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library

__all__ = ["CHANNEL_STATE", "antecedents", "hidden_premise", "probes_of", "witnesses"]

CHANNEL_STATE: Final = "ChannelState"
"""The witness that a complete snapshot has a channel state that is not empty."""

_OPEN, _CLOSE = ("(", "[", "{", "<<"), (")", "]", "}", ">>")
_NAMED: Final = re.compile(r"\s*(?:\[\])?\s*([A-Za-z_]\w*)\s*")
_BINDS: Final = re.compile(r"\\[AE]\b|\\/|\b(?:IF|CASE|LET|CHOOSE)\b")
_FILTERED: Final = re.compile(r"\\in\s*\{\s*(?:\}|\w+\s*\\in\b[^{}]*:)")
_APPLIED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)
_LOCAL: Final = re.compile(r"([A-Za-z_]\w*)\s*(\([^()]*\))?\s*==(?!=)")
_OF_INSTANCE: Final = re.compile(r"\s*(?:\[\])?\s*(\w+)(?:\(.*\))?!(\w+)(?:\(.*\))?\s*", re.DOTALL)
_TOKEN: Final = re.compile(r"<=>|=>|~>|<<|>>|\|->|/\\|\\/|\\[A-Za-z]+|[A-Za-z_]\w*|\n[ ]*|[ ]+|.", re.DOTALL)


def witnesses(model: Model, library: Library) -> dict[str, str]:
    """Return what a model must reach, as state formulas by name.

    They are ``Property.1``, …, :data:`CHANNEL_STATE`, and the names in its ``reached``.
    """
    found = {}
    for prop in (*model.invariants, *model.properties):
        premises = library.once(
            "premises", model.spec, prop, of=partial(_premises, library, model.spec, prop)
        )
        for number, formula in enumerate(premises, start=1):
            found[f"{prop}.{number}"] = formula
    if library.defines(model.spec, "Complete"):
        found[CHANNEL_STATE] = r"Complete /\ \E c \in DOMAIN recChan : recChan[c] # << >>"
    return found | {name: name for name in model.reached}


def _premises(library: Library, spec: str, prop: str) -> tuple[str, ...]:
    """Return the witnesses of a property that are about states, each in one line."""
    formula, known = _read(library, spec, prop, [])
    found = map(known.with_helpers, antecedents(formula, known))
    return tuple(" ".join(formula.split()) for formula in filter(_is_of_states, found))


def probes_of(model: Model, library: Library) -> dict[str, str]:
    """Return what the check of a model looks for beside its properties: the witnesses, if it is to pass."""
    return witnesses(model, library) if model.expect == "pass" else {}


def hidden_premise(library: Library, spec: str, prop: str) -> str | None:
    """Return the ``X!A`` in a property behind which there is an implication, whose premise cannot be written here.

    It is one of the instanced module's variables; ``None`` where there is no such thing.
    """
    hidden: list[str] = []
    antecedents(*_read(library, spec, prop, hidden))
    return hidden[0] if hidden else None


def _read(
    library: Library,
    spec: str,
    prop: str,
    hidden: list[str],
    entered: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[str, _Definitions]:
    """Return the formula of a property, or of the one whose name it is, and what the names in it stand for."""
    seen: list[str] = []
    text = prop
    while (named := _NAMED.fullmatch(text)) and named[1] not in seen and library.defines(spec, named[1]):
        seen.append(named[1])
        text = library.text_of(spec, named[1])
    action = re.fullmatch(r"\s*\[\]\[(.*)\]_\w+\s*", text, re.DOTALL)
    home = next(module.name for module in library.closure(spec) if seen[-1] in module.definitions)
    return action[1] if action else text, _Definitions(
        library, home, hidden, frozenset(seen), entered | {(spec, prop)}
    )


@dataclass(frozen=True)
class _Definitions:
    """What the names of a ``module`` of its own stand for, but for those ``within`` which it is asked.

    What it extends has models of its own. ``entered`` are modules and properties on the way to here. Formulas of
    instances that have premises are noted as ``hidden``. ``helpers`` are the witnesses of operators with arguments, by
    name: each is a definition with the operator's own parameters, for other names are bound where it is applied.
    ``local`` are the names of such definitions that stand in a ``LET``, by the name there that they are of.
    """

    library: Library
    module: str
    hidden: list[str] = field(default_factory=list)
    within: frozenset[str] = frozenset()
    entered: frozenset[tuple[str, str]] = frozenset()
    helpers: dict[str, str] = field(default_factory=dict)
    local: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def with_local(self, definitions: str) -> tuple[str, _Definitions]:
        """Return a ``LET`` and what is known behind it: each of its names has witnesses of its own beside it."""
        heads = list(_LOCAL.finditer(definitions))
        known, added = self, definitions.strip()
        for head, after in zip_longest(heads, heads[1:]):
            body = definitions[head.end() : after.start() if after else len(definitions)]
            column = head.end() - (definitions.rfind("\n", 0, head.end()) + 1)
            found = filter(_is_of_one_state, antecedents(" " * column + body, known))
            own = {f"{head[1]}_premise{number}": text for number, text in enumerate(found, start=1)}
            added += "".join(f" {name}{head[2] or ''} == ({text})" for name, text in own.items())
            known = replace(known, local={**known.local, head[1]: tuple(own)})
        return added, known

    def with_helpers(self, formula: str) -> str:
        """Return a witness with the definitions of the helpers that it uses before it."""
        used: list[str] = []
        for name, definition in reversed(self.helpers.items()):
            if any(name in re.findall(r"\w+", text) for text in (formula, *used)):
                used.insert(0, definition)
        return f"LET {' '.join(used)} IN {formula}" if used else formula

    def behind(self, leaf: str) -> list[str]:
        """Return the witnesses of a formula that is nothing but a name, or one that is given arguments.

        What is about steps is not looked for behind arguments.
        """
        library = self.library
        instance = _OF_INSTANCE.fullmatch(leaf)
        if instance and instance[2] != "Spec":
            closure = library.closure(self.module)
            other = next((m.instances[instance[1]] for m in closure if instance[1] in m.instances), "")
            known = other in library and library.defines(other, instance[2])
            new = known and (other, instance[2]) not in self.entered
            if new and antecedents(*_read(library, other, instance[2], self.hidden, self.entered)):
                self.hidden.append(leaf.strip())
            return []
        applied = _APPLIED.fullmatch(leaf)
        if applied and parts(applied[2], ")") != [applied[2]]:
            return []
        named = applied or _NAMED.fullmatch(leaf)
        if named and named[1] in self.local:
            return [f"{name}({applied[2].strip()})" if applied else name for name in self.local[named[1]]]
        if not named or named[1] in self.within or named[1] not in library.module(self.module).definitions:
            return []
        own = replace(self, within=self.within | {named[1]}, local={})
        found = antecedents(library.text_of(self.module, named[1]), own)
        if applied is None:
            return found
        return [
            self._applied(named[1], applied[2], witness) for witness in found if _is_of_one_state(witness)
        ]

    def _applied(self, operator: str, arguments: str, witness: str) -> str:
        """Make a helper of a witness of an operator, and return its application to the operator's arguments."""
        parameters = self.library.parameters_of(self.module, operator)
        text = f"{parameters} == ({' '.join(witness.split())})"
        known = (name for name, definition in self.helpers.items() if definition == name + text)
        helper = next(known, f"{operator}_premise{len(self.helpers) + 1}")
        self.helpers[helper] = helper + text
        return f"{helper}({arguments.strip()})"


def antecedents(formula: str, known: _Definitions | None = None) -> list[str]:
    r"""Return a witness for each implication of a formula in the project's style.

    That is: ``/\``, also as a list with bullets, ``\A x \in S :``, ``LET … IN`` and ``=>``, each with a formula behind
    it; both sides of ``<=>``; what stands before ``~>``; brackets around all of that, also with ``[]`` before them;
    ``\A x \in {y \in S : A} :``, which is an implication in other words; whatever else is a leaf. Of what is ``known``
    a name has the witnesses of what it stands for. The order is that of the text.
    """
    formula = _without_brackets(formula)
    start = formula.lstrip()
    if start.startswith("/\\"):
        return [witness for part in _bullets(formula) for witness in antecedents(part, known)]
    if start.startswith("\\A"):
        bound, rest = _split(formula, ":")
        quantifier = bound.replace("\\A", "\\E", 1).strip()
        within = antecedents(rest, known) or (["TRUE"] if _FILTERED.search(bound) else [])
        return [f"{quantifier} : ({witness})" for witness in within]
    if start.startswith("LET"):
        definitions, rest = _split(formula, "IN")
        if known:
            definitions, known = known.with_local(definitions)
        return [f"{definitions.strip()} IN ({witness})" for witness in antecedents(rest, known)]
    left, rest = _split(formula, "<=>")
    if rest:
        return [left.strip(), f"~({left.strip()})"]
    left, rest = _split(formula, "=>")
    if rest:
        behind = antecedents(rest, known)
        return [left.strip(), *(f"({left.strip()}) /\\ ({witness})" for witness in behind)]
    left, rest = _split(formula, "~>")
    if rest:
        return [left.strip()]
    both, rest = _split(formula, "/\\")
    if rest and not _BINDS.search(both):
        return [*antecedents(both, known), *antecedents(rest, known)]
    return known.behind(formula) if known else []


def _is_of_one_state(formula: str) -> bool:
    return "'" not in without_strings(formula)


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
