"""What a check of anybody's module found, as annotations of GitHub at the lines of the spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.judge.result_cases import Case, Status
from pyharness.modules.places import Place, place_of
from pyharness.report.ci.annotations import annotation_lines, warning_line
from pyharness.run.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyharness.errors import HarnessError
    from pyharness.plain_models.plain_model import PlainModel
    from pyharness.run.spec_check import CheckedSpec

__all__ = ["lines_of_check", "lines_of_error"]

_PLACE: Final = re.compile(r"([A-Za-z0-9_]+\.(?:tla|cfg))(?::(\d+))?")


def lines_of_check(model: PlainModel, checked: CheckedSpec) -> Iterator[str]:
    """Yield an error where the violated property is defined, or where TLC points to, and a warning for each gap."""
    if checked.verdict is not Verdict.PASS:
        violation = checked.verdict is Verdict.VIOLATION
        name = checked.violated or checked.result.outcome.value
        defined = _definition(model, checked.violated or "")
        yield from annotation_lines(
            [
                Case(
                    f"check {model.path.name}",
                    name,
                    Status.FAILURE if violation else Status.ERROR,
                    (checked.reason or f"{name}: {checked.verdict.text}",),
                    defined or _place(model.path, checked.reason),
                )
            ]
        )
    for action in checked.never_taken:
        yield warning_line(_place(model.path, action.place), action.name, "this action is never taken")
    for premise in checked.unreached:
        text = f"never reached, so that the property says nothing of it: {premise.formula}"
        yield warning_line(_definition(model, premise.of) or _place(model.path, ""), premise.of, text)


def lines_of_error(path: Path, error: HarnessError) -> Iterator[str]:
    """Yield an error at the place that ``error`` names, of a module that cannot be checked."""
    said = (error.message, *([error.hint] if error.hint else []))
    place = _place(path, f"{error.where or ''} {error.message}")
    return annotation_lines([Case(f"check {path.name}", "no verdict", Status.ERROR, said, place)])


def _definition(model: PlainModel, name: str) -> Place | None:
    """Return where a property is defined; nothing of one that has no definition, such as a theorem's formula."""
    try:
        found = model.library.definition(model.module, name.partition("!")[0])
        return place_of(model.library.path(found.module.partition("!")[0]), found.line)
    except SpecError:
        return None


def _place(path: Path, text: str) -> Place:
    """Return the first place that a text names, in a file beside the module, or else the module's beginning."""
    for name, line in _PLACE.findall(text):
        if (beside := path.with_name(name)).is_file():
            return place_of(beside, int(line or 1))
    return place_of(path, 1)
