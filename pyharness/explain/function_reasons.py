"""Why ``Commuting``'s functions and its steps do not go together: what two actions do, or what the last step did.

What is wrong with the functions no state shows: the seeded bug that the trace's document names tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.explain.step_reasons import out_of_order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.explain.behaviour_view import View

_BUGS: Final[Mapping[str, str]] = {
    "GiveWay": "a process does not send while a message of one with a greater number is under way",
    "KeepWhenBusy": "who sends keeps what it sends, if something is in another channel",
    "SendInFront": "what is sent to a process of a lower number goes ahead of what is in the channel",
    "TwoUnderWay": "a message is accepted only if another one is under way",
}
"""What each seeded bug of the functions has them say."""


def _commute(view: View) -> str | None:
    """E8: which two actions of different processes cannot be swapped."""
    if bug := _BUGS.get(str(view.meta.get("mutant"))):
        full = [
            f"{view.words.messages(queue)} in {view.channel(channel)}"
            for channel, queue in view.queues().items()
            if queue
        ]
        there = f"with {', '.join(full)}" if full else "with nothing in any channel"
        return (
            f"after step {view.number}, {there}, two actions of different processes cannot be swapped, for as the "
            f"functions have it {bug}"
        )
    for channel, queue in view.queues().items():
        held = view.entries("state").get(channel[0])
        if queue and isinstance(held, frozenset) and held:
            what = view.words.message(min(held, key=str))
            return (
                f"{view.channel(channel)} holds {view.words.messages(queue)}: {view.process(channel[1])} accepting "
                f"that and {view.process(channel[0])} sending {what} on it can be taken in this order, and not in the "
                "other, where the channel has no room"
            )
    return None


def _actions_are_functions(view: View) -> str | None:
    """E8: what the last step did, and how the functions have it."""
    bug = _BUGS.get(str(view.meta.get("mutant")))
    if bug is None:
        return out_of_order(view)
    for move in view.moves():
        source, target = map(view.process, move.channel)
        if move.taken is not None:
            did = f"{target} accepts {view.words.message(move.taken)} from {view.channel(move.channel)}"
        elif move.put:
            did = f"{source} sends {view.words.messages(move.put)} on {view.channel(move.channel)}"
        else:
            continue
        return f"at step {view.number} {did}, which is none of the functions, for as they have it {bug}"
    return None


FUNCTION_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "Commute": _commute,
    "ActionsAreFunctions": _actions_are_functions,
}
"""By the name of the property."""
