"""Explain why a history breaks a claim of ``WhiteRedHistory`` about all actions of a behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.machines.explain.behaviour_view import several
from pyharness.machines.explain.state_values import show
from pyharness.tla.values import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.machines.explain.behaviour_view import View


def _white_then_red(view: View) -> str | None:
    """E2: no process acts white after it has acted red."""
    history = _history(view)
    for later, entry in enumerate(history):
        for earlier in history[:later]:
            if earlier["by"] == entry["by"] and (earlier["colour"], entry["colour"]) == ("red", "white"):
                return (
                    f"{view.process(entry['by'])} is red when it {_did(view, earlier)}, and white again later when it "
                    f"{_did(view, entry)}"
                )
    return None


def _message_has_actions_colour(view: View) -> str | None:
    """E2: each message has the colour of the action that sends it."""
    for entry in _history(view):
        if entry["action"] == "Send" and entry["tint"] != entry["colour"]:
            return (
                f"{view.process(entry['by'])} is {entry['colour']} when it sends {view.words.message(entry['msg'])} on "
                f"{view.channel(entry['at'])}, and the message is {entry['tint']}"
            )
    return None


def _no_clairvoyance(view: View) -> str | None:
    """E5: each message is accepted after it was sent, and in order."""
    sent, accepted = view.queues("sent"), view.queues("accepted")
    for channel, got in accepted.items():
        for place, element in enumerate(got):
            name, what = view.channel(channel), view.words.element(element)
            if place >= len(sent[channel]):
                return (
                    f"{view.process(channel[1])} has accepted the {what} from {name}, which was not sent on it "
                    "before"
                )
            if not same(element, sent[channel][place]):
                first = view.words.element(sent[channel][place])
                return (
                    f"{view.process(channel[1])} has accepted the {what} from {name} ahead of the {first}, which "
                    "was sent "
                    "before it"
                )
    return None


def _sss_from_beginning(view: View) -> str | None:
    """E7: the white actions, in their order, lead to the snapshot."""
    states, channels = view.entries("begun"), dict.fromkeys(view.queues(), ())
    return _path(
        view, "white", states, channels, view.entries("recState"), view.queues("recChan"), "the snapshot"
    )


def _end_reachable(view: View) -> str | None:
    """E7: the red actions, in their order, lead from the snapshot to the end."""
    end = {
        channel: tuple(element["msg"] for element in queue if isinstance(element, Fn))
        for channel, queue in view.queues().items()
    }
    return _path(
        view,
        "red",
        view.entries("recState"),
        view.queues("recChan"),
        view.entries("state"),
        end,
        "the last state",
    )


def _sharp(view: View) -> str | None:
    """E20: the rule and the sorting agree."""
    history = _history(view)
    broken = next(
        (e for e in history if (e["action"], e.get("tint"), e["colour"]) == ("Accept", "red", "white")), None
    )
    states = view.entries("begun")
    channels: dict[tuple[Value, ...], tuple[Value, ...]] = dict.fromkeys(view.queues(), ())
    ordered = [entry for colour in ("white", "red") for entry in history if entry["colour"] == colour]
    stuck = _stuck(view, ordered, states, channels)
    if broken is None and stuck is not None:
        return (
            "no red message was accepted in a white action, and yet first white, then red is not a computation: "
            f"{stuck}"
        )
    if broken is not None and stuck is None:
        return (
            f"{view.process(broken['by'])} {_did(view, broken)}, a red message in a white action, and yet first "
            "all white "
            "actions, then all red ones is a computation"
        )
    return None


def _sss_occurs(view: View) -> str | None:
    """E21: the snapshot is one of the states passed."""
    states = [
        f"{view.process(p)} {view.words.local(state) or show(state)}"
        for p, state in view.entries("recState").items()
    ]
    channels = [
        f"{view.channel(c)} with {view.words.messages(queue)}"
        for c, queue in view.queues("recChan").items()
        if queue
    ]
    return (
        f"the snapshot is {several([*states, *channels])}; none of the {len(_history(view)) + 1} states that were "
        "passed "
        "is that"
    )


def _path(
    view: View,
    colour: str,
    states: Mapping[Value, Value],
    channels: Mapping[tuple[Value, ...], tuple[Value, ...]],
    wanted: Mapping[Value, Value],
    queues: Mapping[tuple[Value, ...], tuple[Value, ...]],
    goal: str,
) -> str | None:
    """Take the actions of a colour, and return which cannot be taken, or where they do not lead."""
    own, kept = dict(states), dict(channels)
    actions = [entry for entry in _history(view) if entry["colour"] == colour]
    begin = "the snapshot" if colour == "red" else "the beginning"
    stuck = _stuck(view, actions, own, kept)
    if stuck is not None:
        return f"of the {colour} actions, taken from {begin} in their order, one cannot be taken: {stuck}"
    for process, state in wanted.items():
        if not same(own[process], state):
            got, has = (view.words.local(value) or show(value) for value in (own[process], state))
            return f'the {colour} actions lead from {begin} to {view.process(process)} "{got}", but {goal} has "{has}"'
    for channel, queue in queues.items():
        if not same(kept[channel], queue):
            got, has = (view.words.messages(value) for value in (kept[channel], queue))
            return (
                f"the {colour} actions lead from {begin} to {got} in {view.channel(channel)}, but {goal} has {has} "
                "there"
            )
    return None


def _stuck(
    view: View,
    actions: Sequence[Fn],
    states: dict[Value, Value],
    channels: dict[tuple[Value, ...], tuple[Value, ...]],
) -> str | None:
    """Take actions, changing ``states``, of items, and ``channels``; return why one cannot be taken.

    Of another application's states nothing is asked.
    """
    for entry in (each for each in actions if each["action"] != "Internal"):
        process, channel, message = entry["by"], entry["at"], entry["msg"]
        held = states[process]
        assert isinstance(channel, tuple)  # noqa: S101
        what, name = view.words.message(message), view.channel(channel)
        if entry["action"] == "Send":
            if isinstance(held, frozenset):
                if message not in held:
                    return f"{view.process(process)} cannot send {what} on {name}, for it does not hold it"
                states[process] = held - {message}
            channels[channel] = (*channels[channel], message)
        else:
            queue = channels[channel]
            if not queue or not same(queue[0], message):
                there = f"{view.words.messages(queue)} is first there" if queue else "nothing is in it"
                return f"{view.process(process)} cannot accept {what} from {name}, for {there}"
            if isinstance(held, frozenset):
                states[process] = held | {message}
            channels[channel] = queue[1:]
    return None


def _history(view: View) -> list[Fn]:
    history = view.after.get("history")
    return [entry for entry in history if isinstance(entry, Fn)] if isinstance(history, tuple) else []


def _did(view: View, entry: Fn) -> str:
    verb, end = ("sends", "on") if entry["action"] == "Send" else ("accepts", "from")
    return f"{verb} {view.words.message(entry['msg'])} {end} {view.channel(entry['at'])}"


def _past(history: Sequence[Fn], last: int) -> list[int]:
    """Return the places of all entries that happened before the one at ``last``, and that one."""

    def touching(action: str, at: Value, end: int) -> list[int]:
        return [k for k in range(end) if history[k]["action"] == action and history[k].get("at") == at]

    past, left = set(), [last]
    while left:
        i = left.pop()
        past.add(i)
        entry = history[i]
        before = [j for j in range(i) if history[j]["by"] == entry["by"]][-1:]
        if entry["action"] == "Accept":
            count = len(touching("Accept", entry["at"], i))
            before += touching("Send", entry["at"], i)[count : count + 1]
        left += [j for j in before if j not in past]
    return sorted(past)


def _cut_is_closed(view: View) -> str | None:
    """E23: all that happened before a white action is white."""
    history = _history(view)
    for i, entry in enumerate(history):
        for j in _past(history, i) if entry["colour"] == "white" else ():
            if history[j]["colour"] == "red":
                return (
                    f"{view.process(entry['by'])} {_did(view, entry)} in a white action, and before that happened a red "
                    f"one: {view.process(history[j]['by'])} {_did(view, history[j])}"
                )
    return None


def _cut_is_closed_iff_rule(view: View) -> str | None:
    """E23: the cut is closed if and only if no red message is accepted in a white action."""
    if opened := _cut_is_closed(view):
        return f"{opened}; and yet no message that a white action accepts is red"
    for entry in _history(view):
        if (entry["action"], entry.get("tint"), entry["colour"]) == ("Accept", "red", "white"):
            return f"{view.process(entry['by'])} {_did(view, entry)}, which is red, in a white action, and yet the cut is closed"
    return None


HISTORY_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "WhiteThenRed": _white_then_red,
    "MessageHasActionsColour": _message_has_actions_colour,
    "NoClairvoyance": _no_clairvoyance,
    "SSSFromBeginning": _sss_from_beginning,
    "EndReachable": _end_reachable,
    "SSSOccurs": _sss_occurs,
    "Sharp": _sharp,
    "CutIsClosed": _cut_is_closed,
    "CutIsClosedIffRule": _cut_is_closed_iff_rule,
}
"""The reasons by the name of the property."""
