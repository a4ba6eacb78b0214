"""One test for many cases: it takes all of them, and lists each that fails; as many tests would say no more."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def each_case(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a test each of some cases, a value or a tuple for the names; what else it takes are fixtures."""
    given, listed = names.split(", "), list(cases)
    assert listed, "a list of cases that has become empty tests nothing"

    def made(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def taken(**fixtures: Any) -> None:
            failed = []
            for case in listed:
                values = case if len(given) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(given, values, strict=True)))
                except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                    failed.append(f"{case}: {type(error).__name__}: {error}")
            assert not failed, "\n".join([f"{len(failed)} of {len(listed)} cases fail:", *failed])

        others = [each for name, each in signature.parameters.items() if name not in given]
        taken.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return taken

    return made
