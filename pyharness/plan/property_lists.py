"""The named lists of properties of a plan: ``[properties] snapshot = [...]``, and ``"@snapshot"`` in other lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MARK: Final = "@"
"""Stands before the name of a list that is meant."""

USED_IN: Final = ("invariants", "properties", "caught_by")
"""The keys of a model whose lists may name lists; so may those of a matrix's ``mutants``, which are ``caught_by``."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


class PropertyLists:
    """The lists of a plan by name, as its table ``properties`` gives them.

    Raises SpecError, whose ``where`` is the list's name, for a table that is none, a name that is no lower-case words
    joined by hyphens, and a list that is empty, repeats a name, or names a list.
    """

    def __init__(self, table: Any) -> None:
        if not isinstance(table, dict):
            raise SpecError("must be a table of lists of names", where="properties")
        self._lists: dict[str, tuple[str, ...]] = {}
        self._unused = dict.fromkeys(table)
        for name, given in table.items():
            if not _NAME.fullmatch(name):
                raise SpecError("a list is named by lower-case words joined by hyphens", where=name)
            if not isinstance(given, list) or not given or not all(isinstance(word, str) for word in given):
                raise SpecError(f"must be a list of names that is not empty, not {given!r}", where=name)
            if len(set(given)) != len(given):
                raise SpecError("must be without repetitions", where=name)
            if any(word.startswith(MARK) for word in given):
                raise SpecError("must be a list of properties, not of lists", where=name)
            self._lists[name] = tuple(given)

    def expand(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return ``names`` with the properties of each list in the place of its name.

        Raises SpecError for a list that is not there.
        """
        return tuple(name for given in names for name in self._meant(given))

    def unused(self) -> tuple[str, ...]:
        """Name the lists that were never meant."""
        return tuple(self._unused)

    def _meant(self, name: str) -> tuple[str, ...]:
        if not name.startswith(MARK):
            return (name,)
        own: Mapping[str, tuple[str, ...]] = self._lists
        if name[1:] not in own:
            raise SpecError(f"no list {name} in [properties]", hint=nearest(name[1:], own))
        self._unused.pop(name[1:], None)
        return own[name[1:]]
