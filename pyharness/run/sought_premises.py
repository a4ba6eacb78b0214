"""What is sought in states and steps beside the properties: the premises without which they say nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.errors import HarnessError
from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import apart
from pyharness.modules.formula_facts import level_of
from pyharness.modules.module import ACTION
from pyharness.plain_models.plain_model import OWN
from pyharness.plan.witness import premises_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.plain_models.plain_model import PlainModel

STATES: Final = f"{OWN}SoughtStates"
STEPS: Final = f"{OWN}SoughtSteps"
"""The invariant and the property that look for premises: they always hold, and print."""

_FIRST_REGISTER: Final = 7000
_REACHED: Final = re.compile(rf'<<"{OWN}", (\d+)>>')


@dataclass(frozen=True, slots=True)
class Premise:
    """A premise of the property ``of``, the ``number``-th from 1: its ``formula``; ``step`` says that it is of steps.

    ``sought`` is the same formula with bound names that no module of the user's declares.
    """

    of: str
    number: int
    formula: str
    sought: str
    step: bool


def premises_of_model(model: PlainModel) -> tuple[Premise, ...]:
    """Return the premises of all that a model checks; none of a property that is not written in its module."""
    found = []
    for name in model.checked:
        try:
            formulas = premises_of(model.library, model.module, name)
        except HarnessError:  # it is a name of an instance, or what no premise can be read of
            continue
        for number, formula in enumerate(formulas, start=1):
            step = level_of(model.library, model.module, formula) >= ACTION
            found.append(
                Premise(name, number, on_one_line(formula), on_one_line(apart(formula, {}, OWN)), step)
            )
    return tuple(found)


def lines_of(premises: Sequence[Premise], variables: Sequence[str], seconds: float | None) -> list[str]:
    """Return the lines of the root that look for premises, and end the run after so many ``seconds``, if any.

    A premise that was found is not looked for again.
    """
    lines = [f"ASSUME {OWN}Zero({_FIRST_REGISTER + number})" for number in range(len(premises))]
    sought = [f"  /\\ {OWN}Sought({_FIRST_REGISTER + n}, {each.sought})" for n, each in enumerate(premises)]
    states = [line for line, each in zip(sought, premises, strict=True) if not each.step]
    steps = [line for line, each in zip(sought, premises, strict=True) if each.step]
    if seconds is not None:
        states.append(f"  /\\ {OWN}Within({int(seconds)}, {variables[0]})")
    lines += [f"{STATES} ==", "  /\\ TRUE", *states] if states else []
    lines += [f"{STEPS} == [][", "  /\\ TRUE", *steps, f"  ]_<<{', '.join(variables)}>>"] if steps else []
    return lines


def reached(output: str) -> frozenset[int]:
    """Return the indices of the premises that a run found."""
    return frozenset(
        int(match[1]) - _FIRST_REGISTER for match in map(_REACHED.fullmatch, output.splitlines()) if match
    )
