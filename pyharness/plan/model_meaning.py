"""Whether a model checks what plainly cannot fail: then a run would pass whatever the spec does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from pyharness.errors import SpecError
from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import Name
from pyharness.modules.formula_facts import is_about_states, level_of
from pyharness.modules.module import ACTION
from pyharness.plan.fairness_form import unfair
from pyharness.plan.followed_formula import fairness_of, require_followed
from pyharness.plan.formula_subject import FormulaSubjects
from pyharness.plan.theorems import require_fairness
from pyharness.plan.witness import hidden_premise, premises
from pyharness.systems import PROTOCOLS

if TYPE_CHECKING:
    from pyharness.modules.library import Library
    from pyharness.plan.model import Model


class ModelError(Protocol):
    """Makes the error of a model: of what is wrong, the key that says so, and what to do."""

    def __call__(self, message: str, key: str | None, hint: str | None = None) -> SpecError:
        """Return the error."""


def require_meaning(model: Model, library: Library, error: ModelError) -> None:
    """Require that no property plainly says nothing, and that nothing makes one say nothing.

    Raises what ``error`` makes of a message, the key of the model that is at fault, and a hint.
    """
    _followed(model, library, error)
    all_variables = f"{library.prefix(model.spec)}vars".lower()
    if all_variables in model.overrides:
        raise error(
            f"nothing may stand in for {all_variables}: a step that leaves it unchanged is not looked at",
            "overrides",
        )
    subjects = FormulaSubjects(library, model.spec, model.overrides)
    given = (model.spec, *sorted(model.overrides.items()))
    for key in ("invariants", "properties"):
        for name in getattr(model, key):
            if why := library.once("nothing said", name, given, of=partial(subjects.nothing_said, name)):
                raise error(f"{name} says nothing: {why}", key, "no run could violate it")
            hidden = library.once(
                "hidden", name, given, of=partial(hidden_premise, library, model.spec, name)
            )
            if hidden:
                hint = f"state the implication in {model.spec} itself, over its own variables"
                raise error(f"{name}: nothing can tell whether a premise in {hidden} ever holds", key, hint)
    fair = (f"{library.prefix(model.spec)}Fairness",) if model.fair else ()
    for theorem in model.theorems(library, (*model.invariants, *model.properties)):
        if is_endless(library, model.spec, theorem.name):
            require_fairness(theorem, fair)
    if model.expect == "pass":
        _premises(model, library, error)
        _endless(model, library, error)


def _followed(model: Model, library: Library, error: ModelError) -> None:
    """Require that the specification which is followed is the one that the module states."""
    library.once("followed", model.spec, of=partial(require_followed, library, model.spec))
    formula = f"{library.prefix(model.spec)}Spec"
    if model.fair or not library.defines(model.spec, formula):
        return
    fair = fairness_of(library, model.spec, Name(formula))
    coming = [name for name in model.properties if is_endless(library, model.spec, name)] if fair else []
    if fair and coming:
        name = f"{library.prefix(model.spec)}Fairness"
        raise error(
            f"{coming[0]} is about whole behaviours, and {formula} says what is fair: {fair[0]}",
            "fair",
            f"name that {name}, leave it out of {formula}, and ask for a model that is fair",
        )


def _premises(model: Model, library: Library, error: ModelError) -> None:
    """Require that the premise of each implication is about a state: of a step TLC cannot be asked for one."""
    for name, formula in premises(model, library).items():
        if level_of(library, model.spec, formula) >= ACTION:
            prop = name.rpartition(".")[0]
            raise error(
                f"{prop}: nothing can tell whether there is a step with {on_one_line(formula)}",
                "properties" if prop in model.properties else "invariants",
                "before => say what holds in the state that the step leaves, and say of the step what is behind it",
            )


def _endless(model: Model, library: Library, error: ModelError) -> None:
    """Require of a model that is to pass that whole behaviours are followed, and that there are fair ones."""
    endless = [name for name in model.properties if is_endless(library, model.spec, name)]
    if endless and model.depth is not None:
        raise error(
            f"{endless[0]} is about whole behaviours, and none is followed beyond it",
            "depth",
            "remove it",
        )
    ends = {
        "",
        "Over",
        *(PROTOCOLS[m.name].stop for m in library.closure(model.spec) if m.name in PROTOCOLS),
    }
    if endless and (model.stop not in ends or model.stop in model.overrides):
        raise error(
            f"{endless[0]} is about whole behaviours, and none is followed beyond {model.stop}",
            "stop",
            'say stop = ""; only the end of the snapshot is as good',
        )
    if model.fair:
        try:
            wrong = unfair(library, model.spec, model.overrides)
        except SpecError as wrong_form:
            raise error(wrong_form.message, "fair") from None
        if wrong is not None:
            hint = "of a condition that no behaviour meets, everything holds"
            raise error(f"{wrong} is no WF or SF of an action of {model.spec}", "fair", hint)


def is_endless(library: Library, spec: str, name: str) -> bool:
    """Tell whether a property of a spec is about whole behaviours, also by another one's name."""
    try:
        kind, _ = library.formula(spec, name)
    except SpecError:
        return True
    return kind == "state" and not is_about_states(library, spec, name)
