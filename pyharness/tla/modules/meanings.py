"""The meaning of names in modules: the texts of all definitions that they use, without comments, layout and places.

A definition that is reached from two modules is returned for both; one that is not reached does not count. If it is not
certain which of several definitions a name has, all of them count.
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
    """Return the meaning of some texts that extend ``modules``: the definition of each name that is reached, by its place.

    Besides the definitions of the words in the texts it has, for each module that is extended or instanced, its
    declarations, its assumptions, the standard modules that it sees, and its constant definitions without parameters: TLC
    evaluates those before anything else, used or not. Names that several of the modules define are included, too. The
    complete text counts for a module with modules within it, for SANY does not report all of these.
    """
    roots = list(modules)
    closures = library.closures(roots)
    text = "\n".join(texts)
    waiting = [(root, name) for root in roots for name in (*_words(text), *_signs(library, root))]
    waiting += [(module, path) for module in closures for path in _AFTER_BRACKETS.findall(text)]
    found = dict(library.once("several", *roots, of=lambda: _several(library, roots)))
    for module in closures.values():
        own, leads_to = library.once("counted text", module.name, of=partial(_counted_text, library, module))
        found |= own
        waiting += leads_to
    return found | {f"{module}!{name}": own for (module, name), own in reached(library, waiting)}


def _counted_text(library: Library, module: Module) -> tuple[dict[str, str], list[Used]]:
    """Return the parts of a module that count for every user of it, by heading, and the names that they use."""
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
    """Yield the operators that a module sees and that are not words, since texts may use them."""
    return (name for name in library.visible(root) if not _PATH.fullmatch(name))


def _several(library: Library, roots: Iterable[str]) -> dict[str, str]:
    """Return the names that mean different things in several modules, with the modules: SANY refuses these together."""
    found: dict[str, dict[str, None]] = {}
    for root in roots:
        for module in library.closure(root):
            own = (*module.definitions, *module.instances, *module.constants, *module.variables)
            for name, home in (*module.scope.items(), *((name, module.name) for name in own)):
                found.setdefault(name, {})[home] = None
    several = {name: homes for name, homes in found.items() if len(homes) > 1}
    return {f"{name} is defined": f"in {', '.join(sorted(homes))}" for name, homes in several.items()}


def assumptions(library: Library, module: str) -> list[str]:
    """Return the assumptions of a module and of those it extends, as text, sorted."""
    return sorted(
        f"ASSUME {f'{each.name} == ' if each.name else ''}{on_one_line(each.formula)}"
        for own in library.closure(module)
        for each in own.statements
        if each.kind == "assumption"
    )


def reached(
    library: Library, names: Iterable[Used], seen: set[Used] | None = None
) -> Iterator[tuple[Used, str]]:
    """Yield all definitions that names use, directly or not, except those already ``seen``, each with its text.

    A name in the text of a definition is given for the module from which that was reached, if it means the same there.
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
    """Return the text of a name's definition in a module, empty if there is none, and the names that it uses.

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
    """Yield the names that a definition uses, and those of instances within it, for a module that sees it."""
    yield from used_by(library, definition.module, definition.uses, module)
    for other in (other for other in definition.instanced if _is_own(library, other)):
        yield from ((other, inner) for inner in library.visible(other))
        yield from ((other, name.partition("!")[2]) for name in definition.uses if "!" in name[:-1])


def used_by(library: Library, home: str, names: Iterable[str], seen_from: str = "") -> Iterator[Used]:
    """Yield names that are used in the module ``home``, each with a module in which it has the same meaning.

    That is ``seen_from``, a module that extends ``home``, if the meaning is the same there, and else ``home``.
    """
    for name in names:
        first = name.partition("!")[0] or name
        same = seen_from and _homes(library, home, first) == _homes(library, seen_from, first)
        yield seen_from if same else home, name


def _homes(library: Library, module: str, name: str) -> set[str]:
    """Return the modules that define a name, as an operator, an instance or a statement, among those a module sees."""
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
