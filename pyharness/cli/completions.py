"""What a shell offers at the next word: specs, seeded bugs, plans, models, graphs, examples. No module is parsed."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_toml, read_utf8
from pyharness.base.toolchain.spec_files import find_plan, layers, named_files, specs_here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_EXTENDS: Final = re.compile(r"^EXTENDS ([\w, ]+)$", re.MULTILINE)
_SPEC: Final = re.compile(r"^(?:Fair)?Spec ==", re.MULTILINE)


def complete_values(command: click.Command) -> None:
    """Let the words of a command that name something of ours be completed."""
    for parameter in command.params:
        offers = _OFFERS.get((command.name or "", parameter.name or "")) or _OFFERS.get(
            ("", parameter.name or "")
        )
        if "--topology" in parameter.opts:
            offers = _graphs
        if offers is not None and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _Offered(offers)


class _Offered(click.types.StringParamType):
    """A text for which a shell is offered some."""

    def __init__(self, offers: Callable[[dict[str, Any], str], Iterable[str]]) -> None:
        self._offers = offers

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return those that begin as what is there."""
        del param
        offered = self._offers(ctx.params, incomplete)
        return [CompletionItem(text) for text in offered if text.startswith(incomplete)]


def _texts() -> dict[str, str]:
    found: dict[str, str] = {}
    for layer in reversed(layers(specs_here())):
        for path in layer.glob("*.tla"):
            found[path.stem] = read_utf8(path, MOST_MODULE_BYTES)
    return dict(sorted(found.items()))


def _specs(_: dict[str, Any], incomplete: str) -> Iterable[str]:
    """Offer the modules that are specs, and behind a colon the seeded bugs of one."""
    name, colon = incomplete.partition(":")[:2]
    if colon:
        return [f"{name}:{bug}" for bug in _bugs(name)]
    return [name for name, text in _texts().items() if _SPEC.search(text)]


def _bugs(spec: str) -> Iterable[str]:
    texts = _texts()
    seen, waiting = set[str](), [spec]
    while waiting:
        name = waiting.pop()
        if name in texts and name not in seen:
            seen.add(name)
            waiting += _extended(texts[name])
    directories: list[Path] = [layer / "mutants" for layer in layers(specs_here())]
    paths = {path.stem: path for directory in reversed(directories) for path in directory.glob("*.tla")}
    return sorted(
        name for name, path in paths.items() if seen & set(_extended(read_utf8(path, MOST_MODULE_BYTES)))
    )


def _extended(text: str) -> list[str]:
    match = _EXTENDS.search(text)
    return [name.strip() for name in match[1].split(",")] if match else []


def _plans(_: dict[str, Any], __: str) -> Iterable[str]:
    return named_files("plans", specs_here())


def _plans_and_specs(params: dict[str, Any], incomplete: str) -> Iterable[str]:
    return [*(_plans(params, incomplete) if ":" not in incomplete else ()), *_specs(params, incomplete)]


def _models(_: dict[str, Any], __: str) -> Iterable[str]:
    """Offer the models of the plan that is named, or of the plan quick."""
    from pyharness.gate.plans.plan import row_name  # noqa: PLC0415 - only if it is asked for

    for word in (*os.environ.get("COMP_WORDS", "").split()[2:], "quick"):
        with suppress(SpecError):
            plan = read_toml(find_plan(word))[1]
            models = [str(model.get("name")) for model in plan.get("model", ())]
            for matrix in plan.get("matrix", ()):
                models += [row_name(matrix.get("name", "mutants"), bug) for bug in matrix.get("mutants", ())]
            return models
    return ()


def _examples(_: dict[str, Any], __: str) -> Iterable[str]:
    return named_files("examples", specs_here())


def _of_the_spec(params: dict[str, Any], _: str) -> Iterable[str]:
    del params  # an option that has no value yet keeps the words from being read
    words = os.environ.get("COMP_WORDS", "").split()
    texts = _texts()
    return _bugs(next((word for word in words if word in texts), ""))


def _graphs(_: dict[str, Any], incomplete: str) -> Iterable[str]:
    """Offer the families, and the sizes of the one that is there."""
    from pyharness.base.topology import DATAFLOWS, FAMILIES  # noqa: PLC0415 - only if it is asked for

    name, colon = incomplete.partition(":")[:2]
    if colon and (name in FAMILIES or name in DATAFLOWS):
        least = FAMILIES[name].least if name in FAMILIES else 3
        return [f"{name}:{size}" for size in range(least, least + 4)]
    alone = {family for family, made in FAMILIES.items() if made.worked_example}
    return [family if family in alone else f"{family}:" for family in (*FAMILIES, *DATAFLOWS)]


_OFFERS: Final[dict[tuple[str, str], Callable[[dict[str, Any], str], Iterable[str]]]] = {
    ("check", "plan"): _plans_and_specs,
    ("model", "subject"): _plans_and_specs,
    ("model", "name"): _models,
    ("example", "name"): _examples,
    ("", "only"): _models,
    ("", "plan"): _plans,
    ("", "plans"): _plans,
    ("", "subject"): _specs,
    ("", "subjects"): _specs,
    ("", "spec"): _specs,
    ("", "mutant"): _of_the_spec,
}
"""What is offered for a parameter: of a command, or of all."""
