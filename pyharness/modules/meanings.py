"""What names of modules mean: the texts of all definitions that they lead to, without comments, layout and places.

A definition that is reached from two modules is told for both; one that is not reached does not count.
"""

from __future__ import annotations

import re
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import Name, names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library
    from pyharness.modules.module import Definition, Instance

__all__ = ["assumptions", "meaning_of", "reached", "used_by"]

_WORD: Final = re.compile(r"\w+")

_USES: Final = attrgetter("uses")

Used = tuple[str, str]
"""A module, and a name in it."""


def meaning_of(library: Library, modules: Iterable[str], texts: Iterable[str]) -> dict[str, str]:
    """Return what some texts mean that extend ``modules``: what each name that is reached stands for, by its place.

    Besides the definitions of the words in the texts there are, of each module that is extended or instanced, what it
    declares, its assumptions, and the standard modules that it sees.
    """
    roots = list(modules)
    words = dict.fromkeys(
        word for text in texts for found in _WORD.findall(text) for word in (found, found.removeprefix("_"))
    )  # a subscript stands behind a _
    signs = {name for root in roots for name in library.visible(root) if not _WORD.fullmatch(name)}
    waiting = [(root, name) for root in roots for name in (*words, *signs)]
    found = {}
    for module in library.closures(roots).values():
        found[f"{module.name} declares"] = " ".join(
            ("CONSTANTS", *module.constants, "VARIABLES", *module.variables)
        )
        found[f"{module.name} extends"] = " ".join(module.standard)
        for number, formula in enumerate(_assumed(library, module.name), start=1):
            found[f"{module.name} assumes, {number}"] = on_one_line(formula)
            waiting += used_by(library, module.name, names_in(formula))
    return found | {f"{module}!{name}": text for (module, name), text in reached(library, waiting)}


def assumptions(library: Library, module: str) -> list[str]:
    """Return the assumptions of a module and of what it extends, as they stand there."""
    return sorted(
        f"ASSUME {f'{each.name} == ' if each.name else ''}{on_one_line(each.formula)}"
        for own in library.closure(module)
        for each in own.statements
        if each.kind == "assumption"
    )


def reached(
    library: Library,
    names: Iterable[Used],
    seen: set[Used] | None = None,
    uses: Callable[[Definition], Iterable[str]] = _USES,
) -> Iterator[tuple[Used, str]]:
    """Yield all that names lead to, down to the last definition, but for what was ``seen``, each with its text.

    ``uses`` says to which names a definition leads. A name in the text of a definition is told of the module from which
    that was reached, where it means the same there.
    """
    waiting, known = list(names), set() if seen is None else seen
    while waiting:
        current = waiting.pop()
        if current in known:
            continue
        known.add(current)
        text, further = library.once("reached", uses, *current, of=partial(_step, library, *current, uses))
        if text:
            yield current, text
        waiting += further


def _step(
    library: Library, module: str, name: str, uses: Callable[[Definition], Iterable[str]]
) -> tuple[str, list[Used]]:
    """Return what a name of a module stands for, if that is written somewhere, and the names that this leads to."""
    if "!" in name[:-1]:
        first, _, rest = name.partition("!")
        found = library.of_instance(module, name)
        return "", [(module, first), *([(found[0].module, rest)] if found else [])]
    if definition := library.visible(module).get(name):
        further = [*used_by(library, definition.module, uses(definition), module)]
        for other in (other for other in definition.instanced if other.partition("!")[0] in library):
            further += ((other, inner) for inner in library.visible(other))
        return definition.text, further
    if instance := library.instance(module, name):
        values = instance.substitutions.values()
        further = [used for value in values for used in used_by(library, module, names_in(value))]
        return _instance_text(instance), further
    return "", []


def used_by(library: Library, home: str, names: Iterable[str], seen_from: str = "") -> Iterator[Used]:
    """Yield names that are used in the module ``home``, each with a module in which it means what it means there.

    That is ``seen_from``, a module that extends ``home``, if it does there.
    """
    for name in names:
        here, there = library.visible(home).get(name), library.visible(seen_from or home).get(name)
        same = (here and here.module) == (there and there.module)
        yield seen_from if seen_from and same else home, name


def _assumed(library: Library, module: str) -> list[Expression]:
    return [each.formula for each in library.module(module).statements if each.kind == "assumption"]


def _instance_text(instance: Instance) -> str:
    head = instance.name + (f"({', '.join(instance.parameters)})" if instance.parameters else "")
    given = [
        f"{n} <- {on_one_line(value)}" for n, value in instance.substitutions.items() if value != Name(n)
    ]
    return f"{head} == INSTANCE {instance.module}" + (f" WITH {', '.join(given)}" if given else "")
