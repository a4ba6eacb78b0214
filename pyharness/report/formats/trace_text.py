"""A trace as text people read: each step's action, and what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.explain.state_values import clean, show
from pyharness.tla import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tlc import Trace

__all__ = ["to_text"]


def to_text(trace: Trace, title: str | None = None) -> str:
    """Write a trace: all of the initial state, then for each step its action and the variables it changed.

    Of a variable that is a function, such as ``chan``, only the arguments whose value changed are shown.
    """
    lines = [clean(title), ""] if title else []
    before: Fn | None = None
    for number, step in enumerate(trace.steps, start=1):
        arguments = f"({step.arguments})" if step.arguments else ""
        action = step.action or ("Init" if number == 1 else "a step")
        lines.append(clean(f"{number}. {action}{arguments}"))
        changes = list(_changes(before, step.state))
        lines += [clean(f"     {name} = {text}") for name, text in changes] or ["     (nothing changes)"]
        before = step.state
    if trace.lasso is not None:
        lines.append(f"and back to {trace.lasso + 1}, for ever")
    elif trace.stuttering:
        lines.append("and nothing happens ever after")
    return "\n".join(lines) + "\n"


def _changes(before: Fn | None, after: Fn) -> Iterator[tuple[str, str]]:
    for name, value in after.items():
        old = before.get(name) if before is not None else None
        if old is None or not same(old, value):
            yield from _parts(str(name), old, value)


def _parts(name: str, old: Value | None, new: Value) -> Iterator[tuple[str, str]]:
    was, now = _as_function(old), _as_function(new)
    if was is None or now is None or set(was) != set(now):
        yield name, show(new)
        return
    for argument, value in now.items():
        if not same(was[argument], value):
            yield f"{name}[{show(argument)}]", show(value)


def _as_function(value: Value | None) -> dict[Value, Value] | None:
    if isinstance(value, Fn):
        return dict(value.items())
    if isinstance(value, tuple) and value:
        return dict(enumerate(value, start=1))
    return None
