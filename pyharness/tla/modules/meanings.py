"""The meaning of modules' names: the texts of all definitions that they lead to, without comments, layout and places.

A definition that is reached from two modules is given for both; one that is not reached does not count. Where it is not
plain which of several definitions a name leads to, it leads to all of them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Name, names_in
from pyharness.tla.modules.module import CONSTANT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.modules.module import Definition, Instance, Module

_PATH: Final = re.compile(r"\w+(?:!\w+)*")
_AFTER_BRACKETS: Final = re.compile(r"\)!(\w+(?:!\w+)*)")
"""``Op`` of ``X(a)!Op``, which is looked for in every module."""

_HEAD: Final = re.compile(r"-{4} *MODULE\b")

Used = tuple[str, str]
"""A module, and a name in it."""


def meaning_of(library: Library, modules: Iterable[str], texts: Iterable[str]) -> dict[str, str]:
    """Return the meaning of some texts that extend ``modules``: what each name that is reached stands for, by its place.

    Besides the definitions of the words in the texts there are, of each module that is extended or instanced, what it
    declares, its assumptions, the standard modules that it sees, and its constant definitions without parameters: TLC
    evaluates those before anything else, used or not. Names that several of the modules define are given, too. A
    module with modules within it counts as it stands, for SANY does not report all of these.
    """
    roots = list(modules)
    closures = library.closures(roots)
    said = "\n".join(texts)
    waiting = [(root, name) for root in roots for name in (*_words(said), *_signs(library, root))]
    waiting += [(module, path) for module in closures for path in _AFTER_BRACKETS.findall(said)]
    found = dict(library.once("several", *roots, of=lambda: _several(library, roots)))
    for module in closures.values():
        own, leads_to = library.once("said by", module.name, of=partial(_counted_text, library, module))
        found |= own
        waiting += leads_to
    return found | {f"{module}!{name}": text for (module, name), text in reached(library, waiting)}


def _counted_text(library: Library, module: Module) -> tuple[dict[str, str], list[Used]]:
    """Return the text of a module that counts for every user of it, and the names that this leads to."""
    found = {
        f"{module.name} declares": " ".join(("CONSTANTS", *module.constants, "VARIABLES", *module.variables)),
        f"{module.name} extends": " ".join(module.standard),
    }
    if len(_HEAD.findall(module.text)) > 1:
        found[f"{module.name} as it stands"] = module.text
    leads_to: list[Used] = []
    for number, formula in enumerate(_assumed(module), start=1):
        found[f"{module.name} assumes, {number}"] = on_one_line(formula)
        leads_to += used_by(library, module.name, names_in(formula))
    leads_to += [
        (module.name, name)
        for name, definition in module.definitions.items()
        if definition.level == CONSTANT and not definition.parameters
    ]
    return found, leads_to


def _words(text: str) -> dict[str, None]:
    """Return the names in a text, each once: ``X!Op`` is one."""
    paths = _PATH.findall(text)
    subscripts = [path[1:] for path in paths if path.startswith("_")]  # they stand after a _
    return dict.fromkeys(path for path in (*paths, *subscripts) if path.strip("_"))


def _signs(library: Library, root: str) -> Iterator[str]:
    """Yield the operators that a module sees and that are not words: texts may have them."""
    return (name for name in library.visible(root) if not _PATH.fullmatch(name))


def _several(library: Library, roots: Iterable[str]) -> dict[str, str]:
    """Return the names that several modules see as something else each, and where: together these are refused."""
    found: dict[str, dict[str, None]] = {}
    for root in roots:
        for module in library.closure(root):
            own = (*module.definitions, *module.instances, *module.constants, *module.variables)
            for name, home in (*module.scope.items(), *((name, module.name) for name in own)):
                found.setdefault(name, {})[home] = None
    several = {name: homes for name, homes in found.items() if len(homes) > 1}
    return {f"{name} is defined": f"in {', '.join(sorted(homes))}" for name, homes in several.items()}


def assumptions(library: Library, module: str) -> list[str]:
    """Return the assumptions of a module and of what it extends, as they stand there."""
    return sorted(
        f"ASSUME {f'{each.name} == ' if each.name else ''}{on_one_line(each.formula)}"
        for own in library.closure(module)
        for each in own.statements
        if each.kind == "assumption"
    )


def reached(
    library: Library, names: Iterable[Used], seen: set[Used] | None = None
) -> Iterator[tuple[Used, str]]:
    """Yield all that names lead to, down to the last definition, but for what was ``seen``, each with its text.

    A name in the text of a definition is given for the module from which that was reached, where it means the same there.
    """
    waiting, known = list(names), set() if seen is None else seen
    while waiting:
        current = waiting.pop()
        if current in known:
            continue
        known.add(current)
        text, further = library.once("reached", *current, of=partial(_step, library, *current))
        if text:
            yield current, text
        waiting += further


def _step(library: Library, module: str, name: str) -> tuple[str, list[Used]]:
    """Return what a name of a module stands for, if that is written somewhere, and the names that this leads to.

    A module with an INSTANCE that has no name has all names of the other one, LOCAL ones included.
    """
    closure = library.closure(module)
    further = [(other, name) for own in closure for other in own.unnamed]
    first, _, rest = name.partition("!") if "!" in name[:-1] else (name, "", "")
    if rest:
        instanced = [own.instances[first].module for own in closure if first in own.instances]
        return "", [
            *further,
            (module, first),
            *((other, rest) for other in instanced if _is_own(library, other)),
        ]
    texts = []
    if definition := library.visible(module).get(name):
        texts.append(definition.text)
        further += _further(library, module, definition)
    for own in closure:
        if instance := own.instances.get(name):
            texts.append(_instance_text(instance))
            values = instance.substitutions.values()
            further += [
                used for value in values for used in used_by(library, own.name, names_in(value), module)
            ]
        for statement in own.statements:
            if statement.name == name:
                texts.append(on_one_line(statement.formula))
                further += used_by(library, own.name, names_in(statement.formula), module)
    return "; ".join(texts), further


def _further(library: Library, module: str, definition: Definition) -> Iterator[Used]:
    """Yield the names to which a definition leads that a module sees, those of instances within it, too."""
    yield from used_by(library, definition.module, definition.uses, module)
    for other in (other for other in definition.instanced if _is_own(library, other)):
        yield from ((other, inner) for inner in library.visible(other))
        yield from ((other, name.partition("!")[2]) for name in definition.uses if "!" in name[:-1])


def used_by(library: Library, home: str, names: Iterable[str], seen_from: str = "") -> Iterator[Used]:
    """Yield names that are used in the module ``home``, each with a module in which it means what it means there.

    That is ``seen_from``, a module that extends ``home``, if it does there.
    """
    for name in names:
        first = name.partition("!")[0] or name
        same = seen_from and _homes(library, home, first) == _homes(library, seen_from, first)
        yield seen_from if same else home, name


def _homes(library: Library, module: str, name: str) -> set[str]:
    """Return the modules in which a name is defined, or is that of an instance or of a statement, for a module."""
    return library.once("homes", module, name, of=partial(_found_homes, library, module, name))


def _found_homes(library: Library, module: str, name: str) -> set[str]:
    definition = library.visible(module).get(name)
    return (
        {definition.module}
        if definition
        else {
            own.name
            for own in library.closure(module)
            if name in own.instances or any(each.name == name for each in own.statements)
        }
    )


def _is_own(library: Library, module: str) -> bool:
    return module.partition("!")[0] in library


def _assumed(module: Module) -> list[Expression]:
    return [each.formula for each in module.statements if each.kind == "assumption"]


def _instance_text(instance: Instance) -> str:
    head = instance.name + (f"({', '.join(instance.parameters)})" if instance.parameters else "")
    given = [
        f"{n} <- {on_one_line(value)}" for n, value in instance.substitutions.items() if value != Name(n)
    ]
    return f"{head} == INSTANCE {instance.module}" + (f" WITH {', '.join(given)}" if given else "")
