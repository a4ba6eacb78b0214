"""A trace as text people read: each step's action, and its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.clean_text import clean, cleaned, one_line
from pyharness.machines.explain import Wording, why
from pyharness.machines.explain.state_values import channel_name, entries, is_channel, name_of, show
from pyharness.show.report.trace.counterexample_table import function_of, left_out
from pyharness.tla.values import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.tla.tlc import Trace

_LONGEST: Final = 10_000
"""The most characters of a title, or of an action with its arguments."""

_NOTHING: Final = ("empty", "none", "nothing", "nothing pending")
"""The values that need no words, where there are several."""


def to_text(
    trace: Trace, title: str | None = None, meta: Mapping[str, Any] | None = None, most: int | None = None
) -> str:
    """Write a trace: all of the initial state, then for each step its action and the variables it changed.

    Of a variable that is a function, such as ``chan``, only the arguments whose value changed are shown. A value that
    is hard to read is followed by its meaning, as a comment of TLA+. With a ``meta`` that names the violated property
    the text explains why it is violated, and where the implementation ``refused`` it. It has the first and the last
    steps, at most ``most``.
    """
    meta = meta or {}
    lines = [one_line(title, _LONGEST), ""] if title else []
    reason = why(meta["violated"], trace, meta) if isinstance(meta.get("violated"), str) else None
    lines += [clean(reason), ""] if reason else []
    if isinstance(meta.get("refused"), str):
        lines += [*(clean(line) for line in meta["refused"].splitlines()), ""]
    wording = Wording(trace, meta)
    before: Fn | None = None
    gap, notice = left_out(len(trace.steps), most)
    for number, step in enumerate(trace.steps, start=1):
        if number - 1 in gap:
            lines += [notice] if number - 1 == gap.start else []
            before = step.state
            continue
        arguments = f"({step.arguments})" if step.arguments else ""
        action = step.action or ("Init" if number == 1 else "a step")
        lines.append(one_line(f"{number}. {action}{arguments}", _LONGEST))
        changes = list(_changes(before, step.state, wording))
        lines += [clean(line).replace("\n", "\\n") for lines_ in changes for line in lines_] or [
            "     (nothing changes)"
        ]
        before = step.state
    if trace.lasso is not None:
        lines.append(f"and back to {trace.lasso + 1}, forever")
    elif trace.stuttering:
        lines.append("and nothing happens ever after")
    return cleaned("\n".join(lines) + "\n")


def _changes(before: Fn | None, after: Fn, wording: Wording) -> Iterator[tuple[str, ...]]:
    """Yield for each value that changed its line, and a line with its meaning where that is more."""
    for name, value in after.items():
        old = before.get(name) if before is not None else None
        if old is not None and same(old, value):
            continue
        for argument, part in _parts(old, value):
            place = str(name) if argument is None else f"{name}[{show(argument)}]"
            line = f"     {place} = {show(part)}"
            words = _words_for(wording, str(name), argument, part)
            yield (line, f"       \\* {words}") if words else (line,)


def _parts(old: Value | None, new: Value) -> Iterator[tuple[Value | None, Value]]:
    was, now = function_of(old), function_of(new)
    if was is None or now is None or set(was) != set(now):
        yield None, new
        return
    for argument, value in now.items():
        if not same(was[argument], value):
            yield argument, value


def _words_for(wording: Wording, variable: str, argument: Value | None, value: Value) -> str | None:
    """Return the words for a value of an application whose values are hard to read: tuples in tuples, not sets of items."""
    if wording.application not in ("Dataflow", "Tasks"):
        return None
    if argument is not None:
        words = wording.row(variable, value)
        return words and f"{_name(variable, argument)}: {words}"
    words_of = [(key, wording.row(variable, part)) for key, part in entries(value).items()]
    parts = [f"{_name(variable, key)}: {words}" for key, words in words_of if words and words not in _NOTHING]
    return "; ".join(parts) or None


def _name(variable: str, argument: Value) -> str:
    if variable == "acks":
        return f"checkpoint {show(argument)}"
    return (
        channel_name(argument) if isinstance(argument, tuple) and is_channel(argument) else name_of(argument)
    )
