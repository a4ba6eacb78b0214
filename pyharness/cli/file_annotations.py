"""What a check of anybody's module found, as annotations of GitHub at the lines of the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.judge.result_cases import Case, Status
from pyharness.modules.source_excerpt import first_place
from pyharness.report.ci.annotations import annotation_lines, warning_line
from pyharness.run.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyharness.errors import HarnessError
    from pyharness.plain_models.plain_model import PlainModel
    from pyharness.run.spec_check import CheckedSpec


def lines_of_check(model: PlainModel, checked: CheckedSpec) -> Iterator[str]:
    """Yield an error where the violated property is defined, or where TLC points to, and a warning for each gap."""
    places = model.library.directories
    if checked.verdict is not Verdict.PASS:
        violation = checked.verdict is Verdict.VIOLATION
        name = checked.violated or checked.result.outcome.value
        yield from annotation_lines(
            [
                Case(
                    f"check {model.path.name}",
                    name,
                    Status.FAILURE if violation else Status.ERROR,
                    (checked.reason or f"{name}: {checked.verdict.text}",),
                    first_place(f"{model.place_of(name)} {checked.reason}", model.path, *places),
                )
            ]
        )
    for action in checked.never_taken:
        yield warning_line(
            first_place(action.place, model.path, *places), action.name, "this action is never taken"
        )
    for premise in checked.unreached:
        text = f"never reached, so that the property says nothing of it: {premise.formula}"
        yield warning_line(first_place(model.place_of(premise.of), model.path, *places), premise.of, text)


def lines_of_error(path: Path, error: HarnessError) -> Iterator[str]:
    """Yield an error at the place that ``error`` names, of a module that cannot be checked."""
    said = (error.message, *([error.hint] if error.hint else []))
    place = first_place(f"{error.where or ''} {error.message}", path)
    return annotation_lines([Case(f"check {path.name}", "no verdict", Status.ERROR, said, place)])
