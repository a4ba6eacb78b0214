"""Explain why checkpoints are not White/Red snapshots: the properties of ``ColouredCheckpoints``, by its ghost colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.explain import step_reasons
from pyharness.machines.explain.behaviour_view import View
from pyharness.machines.explain.state_values import entries, show
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn, Value, record, same

if TYPE_CHECKING:
    from collections.abc import Iterator


def recorded_is_sss(view: View) -> str | None:
    """E6: a complete checkpoint restores the state that the colours define."""
    return next(_not_sss(view), None)


def _not_sss(view: View) -> Iterator[str]:
    for number in sorted(view.members("completed"), key=str):
        acks, states = entries(view.entries("acks")[number]), entries(view.entries("recorded")[number])
        complete = f"checkpoint {show(number)} is complete"
        if set(acks) != set(view.entries("state")):
            continue
        for process, ack in acks.items():
            if not same(ack["state"], states[process]):  # type: ignore[index, call-overload]
                kept, own = (view.words.local(s) or show(s) for s in (ack["state"], states[process]))  # type: ignore[index, call-overload]
                yield f'{complete} with "{kept}" of {view.process(process)}, whose state was "{own}" when it recorded'
        accepted, whites = (entries(view.entries(name)[number]) for name in ("whiteInRed", "whites"))
        for channel, queue in view.queues().items():
            logged = entries(acks[channel[1]]["log"])[channel]  # type: ignore[index, call-overload]
            wanted = (*accepted[channel], *_records(queue)[: whites[channel]])  # type: ignore[index, misc]
            if not same(logged, wanted):
                what = f"the white {view.words.messages(wanted)} was" if wanted else "nothing white was"
                yield (
                    f"{complete} with {view.words.messages(logged)} recorded of {view.channel(channel)}, "  # type: ignore[arg-type]
                    f"but {what} accepted in a red action, or is still in it"
                )


def refines_white_red(view: View) -> str | None:
    """A5, A6, A10, A11: each step keeps the rules of the colouring, in the colours of a checkpoint."""
    for number in sorted(view.entries("recorded"), key=str):
        if _given_up(view, number):
            continue
        steps = tuple(TraceStep(step.action, _coloured_for(number, step.state)) for step in view.trace.steps)
        if reason := step_reasons.refines_white_red(View(Trace(steps), view.meta)):
            return f"for checkpoint {show(number)}, {reason}"
    return None


def _given_up(view: View, number: Value) -> bool:
    """Whether the spec requires nothing of a checkpoint any more: it is aborted, or a task is beyond it unrecorded."""
    recorded = entries(view.entries("recorded")[number])
    beyond = any(
        task["last"] >= number and process not in recorded  # type: ignore[index, call-overload, operator]
        for process, task in view.entries("task").items()
    )
    return number not in view.members("completed") and (number in view.members("aborted") or beyond)


def _coloured_for(number: Value, state: Fn) -> Fn:
    """Return a state as one of ``WhiteRed``, in the colours of a checkpoint: ``WR(n)`` of the spec."""
    whites = entries(entries(state["whites"])[number])
    channels = {
        channel: tuple(
            record(msg=message, colour="white" if index < whites[channel] else "red")  # type: ignore[operator]
            for index, message in enumerate(_records(queue))
        )
        for channel, queue in entries(state["chan"]).items()
    }
    return record(
        state=state["state"],
        chan=Fn(channels.items()),
        recState=entries(state["recorded"])[number],
        recChan=entries(state["whiteInRed"])[number],
    )


def _records(queue: Value) -> tuple[Value, ...]:
    """Return the records in a channel, without barriers and other control."""
    assert isinstance(queue, tuple)  # noqa: S101 - a channel is a sequence
    return tuple(element["msg"] for element in queue if isinstance(element, Fn) and "msg" in element)
