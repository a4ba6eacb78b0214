r"""Find the arguments of a counterexample's actions, where TLC does not print them, by taking the same steps again.

A second run of TLC is given the states, and a variable keeps each action's number and arguments. TLC does not print
the names of actions of an INSTANCE without a name either. If a step can be taken in several ways, one is reported.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import HarnessError, SpecError
from pyharness.models.text_run import run_root
from pyharness.tla.plain_models.config_file import Constant
from pyharness.tla.plain_models.counted_relation import named_relation
from pyharness.tla.plain_models.plain_model import OWN
from pyharness.tla.tlc import Outcome
from pyharness.tla.values import Fn, ModelValue, to_tla

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.models.machine_tools import Tools
    from pyharness.tla.plain_models.counted_relation import NamedRelation
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Trace
    from pyharness.tla.values import Value

_SECONDS: Final = 20.0
_MOST_STEPS: Final = 300
_MOST_CHARACTERS: Final = 500_000
"""The characters of the root module at most; a longer trace, which is hardly read step by step, stays as it is."""

_AT: Final = f"{OWN}At"
_STATES: Final = f"{OWN}States"
_ALLOWED: Final = f"{OWN}Allowed"


def with_arguments(trace: Trace, model: PlainModel, tools: Tools) -> Trace:
    """Return a trace of a model with the names and arguments of its actions; unchanged if they cannot be found."""
    if len(trace.steps) < 2 or len(trace.steps) > _MOST_STEPS:
        return trace
    if any(step.arguments or set(step.state) != set(model.variables) for step in trace.steps):
        return trace  # TLC printed them, or a state is incomplete
    relation = named_relation(model)
    if relation is None or not (relation.called or _unnamed(trace, relation)):
        return trace
    try:
        root, config = _walk(trace, model, relation)
        if len(root) > _MOST_CHARACTERS:
            return trace
        with tempfile.TemporaryDirectory(prefix="pyharness-steps-") as directory:
            result = run_root(
                model,
                tools,
                Path(directory),
                (root, config),
                timeout=_SECONDS,
                check_deadlock=False,
                quick_jvm=True,
            )
    except HarnessError:
        return trace
    walked = result.trace if result.outcome is Outcome.INVARIANT else None
    if walked is None or len(walked.steps) != len(trace.steps):
        return trace
    calls = [step.state.get(relation.call) for step in walked.steps]
    return replace(
        trace,
        steps=tuple(
            replace(
                step,
                action=relation.actions[call[0] - 1],
                arguments=", ".join(map(to_tla, call[1:])) or None,
            )
            if isinstance(call, tuple) and call and isinstance(call[0], int)
            else step
            for step, call in zip(trace.steps, calls, strict=True)
        ),
    )


def _unnamed(trace: Trace, relation: NamedRelation) -> bool:
    return any(step.action not in relation.actions for step in trace.steps[1:])


def _walk(trace: Trace, model: PlainModel, relation: NamedRelation) -> tuple[str, str]:
    """Return the root and the configuration of a model that takes the steps of a trace and no others.

    Raises SpecError where the states cannot be written in the root.
    """
    states = ",\n  ".join(to_tla(step.state) for step in trace.steps)
    given = {each.name for each in model.config.constants if each.name == each.value}
    values = sorted({name for step in trace.steps for name in _model_values(step.state)} - given)
    if clash := {*model.library.visible(model.module), *model.library.constants(model.module)} & {*values}:
        raise SpecError(f"{min(clash)} is a model value, and a name of the module")
    declared = [f"CONSTANTS {', '.join(values)}"] if values else []
    numbers = (
        [k for k, name in enumerate(relation.actions, 1) if name == step.action]
        or range(1, len(relation.actions) + 1)
        for step in trace.steps
    )
    allowed = ", ".join(to_tla(frozenset(each)) for each in numbers)
    begin = "".join(f" /\\ {name} = {_STATES}[1].{name}" for name in model.variables)
    become = "".join(f" /\\ {name}' = {_STATES}[{_AT}'].{name}" for name in model.variables)
    last = len(trace.steps)
    lines = [
        "LOCAL INSTANCE Integers",
        "LOCAL INSTANCE TLC",
        f"VARIABLES {_AT}, {relation.call}",
        *declared,
        *relation.lines,
        f"{_STATES} == <<{states}>>",
        f"{_ALLOWED} == <<{allowed}>>",
        f"{OWN}First == {_AT} = 1 /\\ {relation.call} = << >>{begin}",
        f"{OWN}Walk == {_AT} < {last} /\\ {_AT}' = {_AT} + 1{become}",
        f"  /\\ ({relation.formula}) /\\ {relation.call}'[1] \\in {_ALLOWED}[{_AT}']",
        f"{OWN}OnTheWay == {_AT} < {last}",
    ]
    config = replace(
        model.config,
        constants=(*model.config.constants, *(Constant(name, name) for name in values)),
        specification="",
        init=f"{OWN}First",
        next=f"{OWN}Walk",
        invariants=(f"{OWN}OnTheWay",),
        properties=(),
        constraints=(),
        action_constraints=(),
        symmetry="",
        view="",
        alias="",
    )
    return model.root(*lines), config.text()


def _model_values(value: Value) -> Iterator[str]:
    match value:
        case ModelValue(name):
            yield name
        case Fn():
            for key, each in value.items():
                yield from _model_values(key)
                yield from _model_values(each)
        case tuple() | frozenset():
            for each in value:
                yield from _model_values(each)
