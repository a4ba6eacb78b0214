"""The state graph that TLC writes of a model, and what of it must be there."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ConformanceError, IncompleteError, ToolError
from pyharness.models.tlc_runs import is_small, tlc_run
from pyharness.tla.modules.meanings import meaning_of
from pyharness.tla.tlc import run_tlc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Progress, Result


def write_graph(
    model: Model,
    library: Library,
    tools: Tools,
    dump: Path,
    say: Callable[[str], None] | None = None,
) -> Result:
    """Run TLC on a model without its properties, so that nothing stops it, and let it write its graph to ``dump``."""
    run = replace(
        tlc_run(model.unchecked.render(library, watched=True), model, tools, dump.parent),
        dump=dump,
        quick_jvm=is_small(model, len(model.topologies)),
    )

    def note(now: Progress) -> None:
        if say:
            say(f"TLC: {now.distinct or 0:,} states, {now.queue or 0:,} on the queue")

    return run_tlc(run, on_progress=note)


def graph_digest(model: Model, library: Library, tools: Tools) -> str:
    """Return a digest of all that a model's state graph depends on: what is rendered, the modules, Java and TLC."""
    rendered = model.unchecked.render(library, watched=True)
    meaning = meaning_of(library, model.modules, (rendered.tla, rendered.cfg))
    content = [rendered.tla, rendered.cfg, sorted(meaning.items()), tools.jar_sha256, tools.java_version]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]


class Paths:
    """The shortest way to each state of a graph: ``steps`` are (source, action, target), by the states' ids.

    Of several ways the same one is taken, whatever the order of the steps.

    Holds the whole graph in memory, about 0.5 kB for a state with four steps.
    """

    def __init__(self, initial: Iterable[int], steps: Iterable[tuple[int, str, int]]) -> None:
        following: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        for source, action, target in steps:
            following[source].append((action, target))
        self.depth: dict[int, int] = dict.fromkeys(sorted(initial), 1)
        self._before: dict[int, tuple[str, int]] = {}
        level = list(self.depth)
        while level:
            found = []
            for source in level:
                for action, target in sorted(following.get(source, ())):
                    if target not in self.depth:
                        self.depth[target] = self.depth[source] + 1
                        self._before[target] = (action, source)
                        found.append(target)
            level = found

    def to(self, state: int) -> list[tuple[str | None, int]]:
        """Return the way to a reachable state: each state's id with the action to it, the initial one first."""
        way: list[tuple[str | None, int]] = []
        at = state
        while at in self._before:
            action, source = self._before[at]
            way.append((action, at))
            at = source
        return [(None, at), *reversed(way)]


_AGAIN: Final = "run TLC again, to its end"


def require_census(name: str, *, opened: int, closed: int, unknown: str | None) -> None:
    """Require that the dump of a graph was written to its end, and has no line that is none of a graph's.

    ``opened`` and ``closed`` count the braces of its frame, the last of which is its end; ``unknown`` is such a line.

    Raises IncompleteError for a dump that was cut off, ToolError for what is no dump.
    """
    if not opened or opened != closed:
        raise IncompleteError("the graph is cut off", where=name, hint=_AGAIN)
    if unknown is not None:
        raise ToolError(f"not a line of a graph dump: {unknown[:80]!r}", where=name)


def require_states(
    name: str,
    *,
    problem: str | None,
    of_spec: bool,
    lines: int,
    read: int,
    ids: int,
    keys: int,
    distinct: int | None,
) -> None:
    """Require that every state was read, that they are as many as TLC counted, and that each has its own key.

    ``problem`` says what is wrong with a state, ``of_spec`` that the implementation cannot be in it. ``lines`` of
    states are in the dump, ``read`` of them were, with so many different ``ids`` and ``keys``.

    Raises ConformanceError or ToolError for the problem, IncompleteError for another number of states.
    """
    if problem is not None:
        raise (ConformanceError if of_spec else ToolError)(problem, where=name)
    if read != lines or ids != distinct or not ids:
        raise IncompleteError(
            f"{ids} states instead of {distinct}, on {read} lines of {lines}", where=name, hint=_AGAIN
        )
    if keys != ids:
        raise ToolError(f"{ids} states have {keys} keys", where=name, hint="report this graph")
