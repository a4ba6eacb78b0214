"""The reasons to doubt a result of TLC: a model without a violation may show less than it seems to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.models.model_meaning import FormulaSubjects
from pyharness.tla.plain_models.plain_model import STAND_INS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tla.plain_models.plain_model import PlainModel


def doubts_of(model: PlainModel) -> Iterator[str]:
    """Yield the reasons for which TLC may miss a violation in a model, and the properties that no run could violate.

    TLC follows no behaviour beyond a CONSTRAINT, and merges states under SYMMETRY and VIEW, so that the violation of a
    temporal property may be missed there.
    """
    config, library, module = model.config, model.library, model.module
    limits = {
        "CONSTRAINT": " and ".join(config.constraints),
        "ACTION_CONSTRAINT": " and ".join(config.action_constraints),
        "SYMMETRY": config.symmetry,
        "VIEW": config.view,
    }
    limit = next((f"{word} {names}" for word, names in limits.items() if names), None)
    replaced, subjects = subjects_of(model)
    for name in (*config.invariants, *config.properties):
        meant = replaced.get(name, name)
        if name in config.invariants and config.view:
            yield f"{name}: of states with one VIEW {config.view} TLC looks at one alone, and another may violate it"
        if name in config.properties and limit and subjects.has_liveness(meant):
            yield f"{name} is a temporal property, and TLC may not see all behaviours under {limit}"
        if library.defines(module, meant) and (why := subjects.constant(meant)):
            yield f"{name} is vacuous: {why}"


def subjects_of(model: PlainModel) -> tuple[dict[str, str], FormulaSubjects]:
    """Return the definitions that a configuration replaces, with their replacements, and the subjects under these."""
    replaced = {each.name: each.value for each in model.config.constants if each.stands_in and not each.of}
    return replaced, FormulaSubjects(model.library, model.module, replaced)


def no_sure_violation(model: PlainModel, name: str) -> str:
    """Return why a temporal property may hold although TLC reports that it is violated, or an empty text."""
    config, library, module = model.config, model.library, model.module
    merging = (
        f"SYMMETRY {config.symmetry}" if config.symmetry else f"VIEW {config.view}" if config.view else ""
    )
    replaced, subjects = subjects_of(model)
    meant = replaced.get(name, name)
    if name not in config.properties or not library.defines(module, meant):
        return ""
    if merging and subjects.has_liveness(meant):
        return f"{name} is a temporal property, and where {merging} merges states TLC may report an impossible behaviour"
    if subjects.leads_from_constant(meant):
        return (
            f"{name} has a ~> from a constant, and TLC may report a behaviour that satisfies it (tlaplus 604)"
        )
    return ""


def limits_of(model: PlainModel) -> Iterator[str]:
    """Yield the limits of a check: what its configuration hides or takes on trust, and the modules that are replaced."""
    config = model.config
    if config.alias:
        yield f"ALIAS {config.alias} is left out: it changes what a trace shows, and no verdict"
    if config.symmetry:
        yield "SYMMETRY: states that differ by a permutation count once; what is symmetric TLC takes on trust"
    if config.view:
        yield f"VIEW {config.view}: states with one view count once"
    if (config.constraints or config.action_constraints) and not model.title:
        names = ", ".join((*config.constraints, *config.action_constraints))
        yield f"nothing beyond {names} was looked at"
    needed = model.library.closure(model.module, instances=True)
    known = {name for m in needed for name in (*m.constants, *m.definitions, *m.scope)}
    given = dict.fromkeys(each.name for each in config.constants if not each.of)
    if (standing_in := replaced_definitions(model)) and not model.title:
        yield f"{config.where} replaces definitions: {', '.join(standing_in)}"
    if model.unasked:
        places = ", ".join(model.unasked)
        yield f"not checked are theorems that are not {config.specification} => P: {places}"
    if idle := [name for name in given if name not in known]:
        yield f"{model.module} has no {', '.join(idle)}: giving that in {config.where} changes nothing"
    stood_in = sorted(module.name for module in needed if module.path.parent == STAND_INS)
    if stood_in:
        yield f"this tool's own stood in for {', '.join(stood_in)}"


def replaced_definitions(model: PlainModel) -> tuple[str, ...]:
    """Return the names of the definitions of a module, not its constants, that its configuration replaces."""
    library, module = model.library, model.module
    given = [each for each in model.config.constants if each.stands_in and not each.of]
    return tuple(each.text for each in given if library.defines(module, each.name))
