"""What names of modules mean: the texts of all definitions that they lead to, without comments, layout and places.

A definition that is reached from two modules is told for both; one that is not reached does not count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import Instanced, Name, names_in, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library
    from pyharness.modules.module import Instance

__all__ = ["assumptions", "meaning_of", "reached", "used_by"]

_WORD: Final = re.compile(r"\w+")

Used = tuple[str, str]
"""A module, and a name in it."""


def meaning_of(library: Library, modules: Iterable[str], texts: Iterable[str]) -> dict[str, str]:
    """Return what some texts mean that extend ``modules``: what each name that is reached stands for, by its place.

    Besides the definitions of the words in the texts there are, of each module that is extended or instanced, what it
    declares, its assumptions, and the standard modules that it sees.
    """
    roots = list(modules)
    words = dict.fromkeys(word for text in texts for word in _WORD.findall(text))
    signs = {name for root in roots for name in library.visible(root) if not _WORD.fullmatch(name)}
    waiting = [(root, name) for root in roots for name in (*words, *signs)]
    found = {}
    for module in library.closures(roots).values():
        found[f"{module.name} declares"] = " ".join(("CONSTANTS", *module.constants, "VARIABLES", *module.variables))
        found[f"{module.name} extends"] = " ".join(module.standard)
        for number, formula in enumerate(_assumed(library, module.name), start=1):
            found[f"{module.name} assumes, {number}"] = on_one_line(formula)
            waiting += used_by(library, module.name, formula)
    return found | {f"{module}!{name}": text for (module, name), text in reached(library, waiting)}


def assumptions(library: Library, module: str) -> list[str]:
    """Return the assumptions of a module and of what it extends, as they stand there."""
    return sorted(
        f"ASSUME {f'{each.name} == ' if each.name else ''}{on_one_line(each.formula)}"
        for own in library.closure(module)
        for each in own.statements
        if each.kind == "assumption"
    )


def reached(library: Library, names: Iterable[Used], seen: set[Used] | None = None) -> Iterator[tuple[Used, str]]:
    """Yield all that names lead to, down to the last definition, but for what was ``seen``, each with its text."""
    waiting, known = list(names), set() if seen is None else seen
    while waiting:
        current = waiting.pop()
        if current in known:
            continue
        known.add(current)
        module, name = current
        if "!" in name[:-1]:
            first, _, rest = name.partition("!")
            waiting.append((module, first))
            if found := library.of_instance(module, name):
                waiting.append((found[0].module, rest))
        elif library.defines(module, name):
            definition = library.definition(module, name)
            yield current, f"{name}({', '.join(definition.parameters)}) == {on_one_line(definition.body)}"
            waiting += used_by(library, definition.module, definition.body, module)
        elif instance := library.instance(module, name):
            yield current, _instance_text(instance)
            for value in instance.substitutions.values():
                waiting += used_by(library, module, value)


def used_by(library: Library, home: str, expression: Expression, seen_from: str = "") -> Iterator[Used]:
    """Yield the names that an expression of the module ``home`` uses, each with the module in which it means that.

    That is ``seen_from``, a module that extends ``home``, where the name means the same.
    """
    for name in dict.fromkeys(names_in(expression)):
        same = seen_from and library.visible(seen_from).get(name) is library.visible(home).get(name)
        yield seen_from if same else home, name
    for part in within(expression):
        if isinstance(part, Instanced):
            yield from ((part.module, name) for name in library.visible(part.module) if part.module in library)


def _assumed(library: Library, module: str) -> list[Expression]:
    return [each.formula for each in library.module(module).statements if each.kind == "assumption"]


def _instance_text(instance: Instance) -> str:
    head = instance.name + (f"({', '.join(instance.parameters)})" if instance.parameters else "")
    given = [f"{n} <- {on_one_line(value)}" for n, value in instance.substitutions.items() if value != Name(n)]
    return f"{head} == INSTANCE {instance.module}" + (f" WITH {', '.join(given)}" if given else "")
