"""What must be reached so that a check is not vacuous: the antecedent of each implication, and a channel state.

A property ``A => B`` holds in a model in which ``A`` never does, and then says nothing. For each implication in a
property's formula, :func:`antecedents` gives the state formula that must be true somewhere. A name stands for what it
is defined as: an implication behind it is one of the property, also where it is given arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, zip_longest
from typing import TYPE_CHECKING, Final

from pyharness.plan.formula_parts import column, parts, placed
from pyharness.plan.spec_text import without_strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library

__all__ = ["CHANNEL_STATE", "antecedents", "hidden_premise", "probes_of", "witnesses"]

CHANNEL_STATE: Final = "ChannelState"
"""The witness that a complete snapshot has a channel state that is not empty."""

_OPEN: Final = ("(", "[", "{", "<<", "LET", "IF")
_CLOSE: Final = (")", "]", "}", ">>", "IN", "ELSE")
_TO_THE_END: Final = ("\\A", "\\E", "LET", "IF", "CASE", "CHOOSE", "LAMBDA")
"""What takes all that stands behind it, whatever binds less."""
_SIGNS: Final = dict.fromkeys(("=>", "<=>", "~>"), _TO_THE_END) | {"/\\": (*_TO_THE_END, "\\/")}
"""The signs between two formulas, each with what it does not stand behind."""

_NAMED: Final = re.compile(r"\s*(?:\[\])?\s*([A-Za-z_]\w*)\s*")
_FILTERED: Final = re.compile(r"\\in\s*\{\s*(?:\}|\w+\s*\\in\b[^{}]*:)")
_APPLIED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\)|\[(.*)\])\s*", re.DOTALL)
_LOCAL: Final = re.compile(r"([A-Za-z_]\w*)\s*(\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])?\s*==(?!=)")
_OF_INSTANCE: Final = re.compile(r"\s*(?:\[\])?\s*(\w+)(?:\(.*\))?!(\w+)(?:\(.*\))?\s*", re.DOTALL)
_KEYWORDS: Final = ("IN", "IF", "THEN", "ELSE")
_OPERAND_ENDS: Final = re.compile(r'[\w)\]}"\x27]\Z|>>\Z')
_TOKEN: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|<=>|=>|~>|<<|>>|\|->|/\\|\\/|\\[A-Za-z]+|[A-Za-z_]\w*|\n[ ]*|[ ]+|.', re.DOTALL
)


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
    if library.defines(model.spec, CHANNEL_STATE):
        found[CHANNEL_STATE] = CHANNEL_STATE
    elif library.defines(model.spec, "Complete"):
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
        heads = [
            head for head in _LOCAL.finditer(definitions) if _is_within_one_let(definitions, head.start())
        ]
        known, added = self, _one_line(definitions)
        for head, after in zip_longest(heads, heads[1:]):
            body = placed(definitions, head.end(), after.start() if after else len(definitions))
            found = filter(_is_of_one_state, antecedents(body, known))
            own = dict(zip(self._free_names(head[1]), found, strict=False))
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
        given = zip(applied.groups("")[1:], ")]", strict=True) if applied else ()
        if any(parts(inner, close) != [inner] for inner, close in given):
            return []
        named = applied or _NAMED.fullmatch(leaf)
        arguments = leaf[named.end(1) :].strip() if named else ""
        if named and named[1] in self.local:
            return [f"{name}{arguments}" for name in self.local[named[1]]]
        if not named or named[1] in self.within or named[1] not in library.module(self.module).definitions:
            return []
        own = replace(self, within=self.within | {named[1]}, local={})
        found = antecedents(library.text_of(self.module, named[1]), own)
        if applied is None:
            return found
        return [self._applied(named[1], arguments, witness) for witness in found if _is_of_one_state(witness)]

    def _applied(self, operator: str, arguments: str, witness: str) -> str:
        """Make a helper of a witness of an operator, and return its application to the operator's arguments."""
        parameters = self.library.parameters_of(self.module, operator)
        text = f"{parameters} == ({' '.join(witness.split())})"
        known = (name for name, definition in self.helpers.items() if definition == name + text)
        helper = next(known, None) or next(self._free_names(operator, len(self.helpers) + 1))
        self.helpers[helper] = helper + text
        return helper + arguments

    def _free_names(self, operator: str, first: int = 1) -> Iterator[str]:
        """Yield names for the witnesses of an operator, but for those that stand in the modules already."""
        texts = {module.text for name, _ in self.entered for module in self.library.closure(name)}
        for number in count(first):
            name = f"{operator}_premise{number}"
            if not any(re.search(rf"\b{name}\b", text) for text in texts):
                yield name


def antecedents(formula: str, known: _Definitions | None = None) -> list[str]:
    r"""Return a witness for each implication of a formula in the project's style.

    That is: ``/\``, a list with bullets ``/\`` or ``\/``, ``\A x \in S :``, ``\E x \in S :``, ``LET … IN``, ``THEN``,
    ``ELSE`` and ``=>``, each with a formula behind it; both sides of ``<=>``; what stands before ``~>``; brackets
    around all of that, also with ``[]`` before them; ``\A x \in {y \in S : A} :``, which is an implication in other
    words; whatever else is a leaf. Of what is ``known`` a name has the witnesses of what it stands for. The order is
    that of the text.
    """
    formula = _without_brackets(formula)
    start = next((match[0] for match in _TOKEN.finditer(formula) if not match[0].isspace()), "")
    if start in ("/\\", "\\/") and (items := _bullets(formula, start)):
        return [witness for item in items for witness in antecedents(item, known)]
    if start in ("\\A", "\\E"):
        bound, rest = _split(formula, ":")
        quantifier = _one_line(bound.replace("\\A", "\\E", 1))
        filtered = start == "\\A" and _FILTERED.search(bound)
        within = antecedents(rest, known) or (["TRUE"] if filtered else [])
        return [f"{quantifier} : ({witness})" for witness in within]
    if start == "IF":
        first, otherwise = _split(formula, "ELSE")
        condition, then = _split(first.replace("IF", "  ", 1), "THEN")
        condition = _one_line(condition)
        return [
            *(f"({condition}) /\\ ({witness})" for witness in antecedents(then, known)),
            *(f"~({condition}) /\\ ({witness})" for witness in antecedents(otherwise, known)),
        ]
    if start == "LET":
        written, rest = _split(formula, "IN")
        definitions, known = known.with_local(written) if known else (_one_line(written), None)
        return [f"{definitions} IN ({witness})" for witness in antecedents(rest, known)]
    left, rest = _split(formula, "=>")
    if rest:
        premise = _one_line(left)
        return [premise, *(f"({premise}) /\\ ({witness})" for witness in antecedents(rest, known))]
    left, rest = _split(formula, "<=>")
    if rest:
        return [_one_line(left), f"~({_one_line(left)})"]
    left, rest = _split(formula, "~>")
    if rest:
        return [_one_line(left)]
    both, rest = _split(formula, "/\\")
    if rest:
        return [*antecedents(both, known), *antecedents(rest, known)]
    return known.behind(formula) if known else []


def _is_within_one_let(definitions: str, at: int) -> bool:
    """Whether a place in the definitions of a ``LET`` is in no ``LET`` that stands within one of them."""
    words = re.findall(r"\w+", definitions[:at])
    return words.count("LET") - words.count("IN") == 1


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
    """Split at the first ``at`` outside all brackets; the second part, in its old column, is empty if there is none.

    What stands behind a quantifier or the like is within it, and not beside.
    """
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if depth == 0 and token in _SIGNS.get(at, ()):
            break
        depth += (token in _OPEN) - (token in _CLOSE)
        if depth == 0 and token == at:
            return text[: match.start()], placed(text, match.end(), len(text))
    return text, ""


def _bullets(text: str, bullet: str) -> list[str]:
    """Split a list at its bullets, each item in its old columns; it is empty if something stands behind the list."""
    *starts, end = _bounds_of_list(text, text.index(bullet))
    if text[end:].strip():
        return []
    ends = [*starts[1:], end]
    return [placed(text, start + 2, stop) for start, stop in zip(starts, ends, strict=True)]


def _one_line(text: str) -> str:
    """Return a formula in one line: a list with bullets, which its columns delimit, has brackets in their place."""
    before = ""
    for match in _TOKEN.finditer(text):
        sign, first = match[0], match.start()
        if sign in ("/\\", "\\/") and (before in _KEYWORDS or not _OPERAND_ENDS.search(before)):
            *starts, end = _bounds_of_list(text, first)
            if len(starts) > 1:
                bounds = zip(starts, [*starts[1:], end], strict=True)
                items = (_one_line(placed(text, start + 2, stop)) for start, stop in bounds)
                whole = f" {sign} ".join(f"({item})" for item in items)
                behind = _one_line(placed(text, end, len(text)))
                gap = " " if behind[:1].strip(")]}") else ""
                return " ".join(f"{text[:first]}({whole}){gap}{behind}".split())
        before = before if sign.isspace() else sign
    return " ".join(text.split())


def _bounds_of_list(text: str, first: int) -> list[int]:
    """Return where each item begins of the list whose first bullet is at ``first``, and where the last one ends."""
    starts, depth = [first], 0
    for match in _TOKEN.finditer(text, first + 2):
        word, at = match[0], match.start()
        if word.isspace():
            continue
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth < 0 or (depth == 0 and word == "THEN"):
            return [*starts, at]
        if column(text, at) <= column(text, first):
            if word != text[first : first + 2] or column(text, at) < column(text, first):
                return [*starts, at]
            starts.append(at)
    return [*starts, len(text)]
