"""The variables that an expression depends on, down to all definitions that it uses, also through instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.modules.expressions import names_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library


def used_variables(
    library: Library, module: str, expression: Expression, overrides: Mapping[str, str] | None = None
) -> frozenset[str]:
    """Return the variables of a module that an expression in it depends on.

    ``overrides`` say what stands in for which operator. What is an instance that is not known may depend on all.
    """
    return frozenset(_variables(library, module, expression, overrides or {}, set()))


def _variables(
    library: Library,
    module: str,
    expression: Expression,
    overrides: Mapping[str, str],
    seen: set[tuple[str, str]],
) -> Iterator[str]:
    for used in dict.fromkeys(names_in(expression)):
        name = overrides.get(used, used)
        if "!" in name[:-1]:
            yield from _of_instance(library, module, name, overrides, seen)
        elif name in library.variables(module):
            yield name
        elif (module, name) not in seen and library.defines(module, name):
            seen.add((module, name))
            found = library.definition(module, name)
            yield from _variables(library, found.module, found.body, overrides, seen)


def _of_instance(
    library: Library, module: str, used: str, overrides: Mapping[str, str], seen: set[tuple[str, str]]
) -> Iterator[str]:
    """Yield the variables that ``X!Op`` depends on; all of the module's where that cannot be read."""
    found = library.of_instance(module, used)
    if found is None:
        yield from library.variables(module)
        return
    instance, definition = found
    for variable in set(_variables(library, definition.module, definition.body, {}, set(seen))):
        value = instance.substitutions.get(variable)
        if value is not None:
            yield from _variables(library, module, value, overrides, set(seen))
