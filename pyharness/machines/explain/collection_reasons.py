"""Explain why the collector's verdict, or the snapshot it assembled, is wrong: the properties of ``Collection``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.machines.explain import snapshot_reasons
from pyharness.machines.explain.behaviour_view import several
from pyharness.machines.explain.state_values import entries, show
from pyharness.machines.protocols import FAILS, HOLDS, PENDING
from pyharness.tla.values import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.machines.explain.behaviour_view import View


def c_type_ok(view: View) -> str | None:
    """Each report is complete, and either under way or collected; S0 is there as soon as a process has recorded."""
    for name, place in (("reports", "under way"), ("collected", "at the collector")):
        for process, report in view.entries(name).items():
            channels = set(entries(report.get("channels"))) if isinstance(report, Fn) else set()
            missing = [view.channel(c) for c in view.inputs(process) if c not in channels]
            if missing:
                return f"the report of {view.process(process)}, {place}, lacks the recorded channel {', '.join(missing)}"
            foreign = [view.channel(c) for c in channels if c not in view.inputs(process)]
            if foreign:
                return (
                    f"the report of {view.process(process)}, {place}, has {several(foreign)}, "
                    "of which the process knows nothing: it is no input"
                )
    both = set(view.entries("reports")) & set(view.entries("collected"))
    if both:
        return f"the report of {view.process(min(both, key=str))} is under way and at the collector"
    verdict, began = view.after.get("verdict"), view.after.get("S0")
    if verdict not in (None, PENDING, HOLDS, FAILS):
        return f"the verdict is {show(verdict)}"
    if isinstance(began, Fn) and bool(began["states"]) != bool(view.red()):
        return (
            "S0 is there, and nobody has recorded"
            if began["states"]
            else "S0 is not there, and somebody has recorded"
        )
    return snapshot_reasons.type_ok(view)


def assembled_is_sss(view: View) -> str | None:
    """E15, E19: the collector judged the snapshot itself, complete and final."""
    collected = view.entries("collected")
    for process, state in view.entries("state").items():
        name, report = view.process(process), collected.get(process)
        if not isinstance(report, Fn):
            return f"the collector has concluded without the report of {name}"
        recorded = view.entries("recState").get(process)
        if recorded is None or not same(report["state"], recorded):
            theirs, own = (view.words.local(v) or show(v) for v in (report["state"], recorded or state))
            return f'{name} reported "{theirs}", and recorded "{own}"'
        reported = entries(report["channels"])
        for channel in (c for c in view.inputs(process) if c in reported):
            queue, kept = reported[channel], view.entries("recChan").get(channel)
            if kept is not None and not same(queue, kept):
                theirs, own = (view.words.messages(v) for v in (queue, kept))  # type: ignore[arg-type]
                return f"{name} reported {theirs} of {view.channel(channel)}, where {own} is recorded"
    open_ = [c for c in view.queues() if c not in view.members("closed")]
    for channel in open_:
        return (
            f"the collector has concluded before the snapshot is complete: the marker of {view.channel(channel)} "
            "has not "
            "been accepted"
        )
    for process, report in collected.items():
        missing = [c for c in view.inputs(process) if c not in entries(report["channels"])]  # type: ignore[index, call-overload]
        if missing:
            return f"what the collector judged lacks the recorded channel {view.channel(missing[0])}"
    return None


def stable_predicate(view: View) -> str | None:
    """E19: the verdict contradicts neither the state before the snapshot nor the one after it."""
    verdict, name = view.after.get("verdict"), _predicate(view)
    if verdict == "holds":
        return f"the collector says that {name} holds, and now it does not: {_now(view)}"
    if verdict == "fails":
        return (
            f"the collector says that {name} does not hold, but it held already when the snapshot began: "
            f"{_then(view)}"
        )
    return None


def refines_termination_detection(view: View) -> str | None:
    """E19: the collector detects only a predicate that holds, and a predicate that holds stays so."""
    if view.before is None and view.after.get("verdict") == "holds":
        return (
            f"the collector says that {_predicate(view)} holds before it has collected anything: {_now(view)}"
        )
    return stable_predicate(view)


def predicate_is_stable(view: View) -> str | None:
    """E19: no action ends the predicate."""
    if view.before is None:
        return None
    moved = [
        f"{view.words.element(move.taken)} of {view.channel(move.channel)}"
        for move in view.moves()
        if move.taken is not None
    ]
    sent = [
        f"{view.words.element(element)} on {view.channel(move.channel)}"
        for move in view.moves()
        for element in move.put
    ]
    by = f", accepting the {moved[0]}," if moved else f", sending the {sent[0]}," if sent else ""
    return f"{_predicate(view)} held until step {view.number - 1}, and step {view.number}{by} ends it: {_now(view)}"


def _predicate(view: View) -> str:
    name = view.meta.get("predicate")
    return name if isinstance(name, str) and name else "the predicate"


def _now(view: View) -> str:
    return _global(view, view.entries("state"), view.queues())


def _then(view: View) -> str:
    began: Any = view.after.get("S0")
    if not isinstance(began, Fn):
        return "a state that is not known"
    channels = {
        c: q for c, q in entries(began["channels"]).items() if isinstance(c, tuple) and isinstance(q, tuple)
    }
    return _global(view, entries(began["states"]), channels)


def _global(
    view: View, states: Mapping[Value, Value], channels: Mapping[tuple[Value, ...], tuple[Value, ...]]
) -> str:
    parts = [f"{view.process(p)} {view.words.local(local) or show(local)}" for p, local in states.items()]
    for channel, queue in channels.items():
        messages = [view.words.element(e) for e in queue if not snapshot_reasons.is_control(e)]
        if messages:
            parts.append(f"{view.channel(channel)} has {', '.join(messages)}")
    return "; ".join(parts)


COLLECTION_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "CTypeOK": c_type_ok,
    "AssembledIsSSS": assembled_is_sss,
    "StablePredicate": stable_predicate,
    "PredicateIsStable": predicate_is_stable,
    "RefinesTerminationDetection": refines_termination_detection,
}
"""The reasons by the name of the property."""
