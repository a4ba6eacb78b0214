"""Explain why a behaviour is not one of the spec that it should refine: by its first state, or by its last step.

A step of a protocol is a step of the refined spec, or changes nothing there. The rule that the violating step breaks is
looked for from the most specific to the least: recorded twice, red accepted in white, out of order, of the wrong colour,
a wrong recorded state, a channel's state with too much or too little.

It also explains why the functions of ``Commuting`` and its steps disagree, by two actions or by the last step. No state
shows the fault of the functions: the seeded bug that the trace's document names identifies it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from pyharness.machines.explain.behaviour_view import several
from pyharness.machines.explain.snapshot_reasons import (
    colour_of,
    is_control,
    law_broken,
    red_in_white,
    tinted,
    turns_red_once,
)
from pyharness.machines.explain.state_values import show
from pyharness.tla.values import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyharness.machines.explain.behaviour_view import View


def begins_otherwise(view: View) -> str | None:
    """E13, E7: the behaviour begins in an initial state.

    A trace whose first state an action led to is not judged.
    """
    if view.trace.steps[0].action not in (None, "Init"):
        return None
    first = view.trace.steps[0].state
    for process in view.entries("recState", first):
        return f"{view.process(process)} has recorded its state before anything happened"
    for name, how in (("recChan", "recorded of"), ("chan", "in")):
        for channel, queue in view.queues(name, first).items():
            if queue:
                what = ", ".join(map(view.words.element, queue))
                return f"{what} is {how} {view.channel(channel)} before anything happened"
    empty: dict[tuple[Value, ...], tuple[Value, ...]] = dict.fromkeys(view.queues("chan", first), ())
    broken = law_broken(view, view.entries("state", first), empty, recorded=False)
    return broken and f"before anything happened, {broken}"


def refines_white_red(view: View) -> str | None:
    """E13: the beginning and each step keep the rules of the colouring."""
    return _first(view, [*_RULES, _two_in_one, _sent_nowhere]) or begins_otherwise(view)


def _sss_reachable(view: View) -> str | None:
    """E7: each step keeps the rules of the computation, seen through the snapshot."""
    kept = _first(view, [*_RULES, _two_in_one, _sent_nowhere, _kept_and_accepted, _vanishes])
    return kept or begins_otherwise(view) or _first(view, [_no_room, _accepted_unsent])


def _refines_computation(view: View) -> str | None:
    """Describe an effect of the step that no computation has."""
    return begins_otherwise(view) or _first(view, [out_of_order, _accepted_unsent, _no_room])


def _first(view: View, reasons: Iterable[Callable[[View], str | None]]) -> str | None:
    if view.before is None:
        return None
    return next(filter(None, (reason(view) for reason in reasons)), None)


def out_of_order(view: View) -> str | None:
    """Describe the message that the step takes though others are before it."""
    for move in view.moves():
        queue = view.queues(state=view.before).get(move.channel, ())
        ahead = [view.words.element(e) for e in queue[: move.position] if not is_control(e)]
        if move.taken is None or not ahead or (is_control(move.taken) and "closed" not in view.after):
            continue
        its = f"{'of' if is_control(move.taken) else 'from'} {view.channel(move.channel)}"
        return (
            f"at step {view.number} {view.process(move.channel[1])} accepts the {view.words.element(move.taken)} "
            f"{its} ahead of the {', '.join(ahead)}, which was sent before it"
        )
    return None


def _sent_nowhere(view: View) -> str | None:
    """Describe the process that sends, though nothing comes into a channel."""
    was, now = view.entries("state", view.before), view.entries("state")
    senders = [process for process, state in now.items() if not same(state, was.get(process, state))]
    if view.action != "Send" or not senders or any(view.moves()):
        return None
    process = senders[0]
    old, new = (view.words.local(states[process]) or show(states[process]) for states in (was, now))
    return (
        f"at step {view.number} {view.process(process)} sends a message, which is in no channel then: it {old} before, "
        f"and after it {new}"
    )


def _accepted_unsent(view: View) -> str | None:
    """Describe the message that is accepted though it was not in its channel."""
    was, now = view.entries("state", view.before), view.entries("state")
    for process, state in now.items():
        old = was.get(process, state)
        taken = any(move.taken is not None and move.channel[1] == process for move in view.moves())
        if not same(old, state) and not taken and isinstance(state, frozenset) and isinstance(old, frozenset):
            for item in state - old:
                return (
                    f"at step {view.number} {view.process(process)} accepts {view.words.message(item)}, which is in no "
                    "channel to it: it will be sent only later"
                )
    return None


def _wrong_colour(view: View) -> str | None:
    """Describe the message that the step sends in a colour that its sender does not have."""
    for move in view.moves():
        source = move.channel[0]
        own = {
            "red" if source in view.red(state) else "white"
            for state in (view.before, view.after)
            if state is not None
        }
        for element in move.put:
            colour = colour_of(element)
            if colour in ("white", "red") and colour not in own:
                has = "has recorded" if own == {"red"} else "has not recorded"
                return (
                    f"at step {view.number} {view.process(source)}, which {has}, sends the "
                    f"{view.words.element(element)} "
                    f"on {view.channel(move.channel)}"
                )
    return None


def _another_state(view: View) -> str | None:
    """Describe the process that records a state that it is not in."""
    assert view.before is not None  # noqa: S101 - a step has a state before it
    was, now = view.entries("recState", view.before), view.entries("recState")
    states, before = view.entries("state"), view.entries("state", view.before)
    for process, state in now.items():
        if process in was or same(state, states[process]) or same(state, before[process]):
            continue
        recorded, own = (view.words.local(value) or show(value) for value in (state, before[process]))
        return f'at step {view.number} {view.process(process)} records "{recorded}", but its state is "{own}"'
    return _early(view, set(now) - set(was))


def _early(view: View, recorders: set[Value]) -> str | None:
    """Describe the process that records the state before a white step, or the state after a red one."""
    before, after = view.entries("state", view.before), view.entries("state")
    for process in recorders:
        if same(before[process], after[process]):
            continue
        recorded = view.entries("recState")[process]
        for move in view.moves():
            sent = [colour_of(e) for e in move.put if colour_of(e)]
            own = "before" if same(recorded, before[process]) else "after"
            if move.channel[0] == process and sent and sent[0] != ("red" if own == "before" else "white"):
                return (
                    f"at step {view.number} {view.process(process)} records its state {own} the action, but the "
                    f"{view.words.element(move.put[0])} that it sends in it on {view.channel(move.channel)} counts as "
                    f"{'before' if sent[0] == 'white' else 'after'} the snapshot"
                )
    return None


def _wrongly_kept(view: View) -> str | None:
    """Describe the channel whose state gains something that does not belong to it, or lacks something that does."""
    assert view.before is not None  # noqa: S101
    if "paused" in view.after:
        return _found_in_channels(view)
    was, moves = view.queues("recChan", view.before), {move.channel: move for move in view.moves()}
    for channel, recorded in view.queues("recChan").items():
        move, name, target = moves.get(channel), view.channel(channel), view.process(channel[1])
        taken = move.taken if move else None
        white = taken["msg"] if isinstance(taken, Fn) and colour_of(taken) == "white" else None
        red_action = _acts_red(view, channel[1])
        overtaking = taken is not None and is_control(taken)
        old = was.get(channel, ())
        more = recorded[len(old) :]
        if not same(old, recorded[: len(old)]):
            gone = view.words.messages(old)
            return f"{name} was recorded with {gone}, and after step {view.number} with {view.words.messages(recorded)}"
        if more and not overtaking and (white is None or not red_action):
            why = (
                "which is red: it was sent after the snapshot"
                if taken is not None and colour_of(taken) == "red"
                else f"which {target} accepts in a white action: its state has it already"
                if taken is not None
                else "which it has not accepted"
            )
            return f"at step {view.number} {target} records {view.words.messages(more)} of {name}, {why}"
        if white is not None and red_action and not more and not _expected_ahead(view, channel):
            has = "has recorded" if channel[1] in view.red(view.before) else "records in this very action"
            return (
                f"at step {view.number} {target}, which {has}, accepts the white {view.words.message(white)} from "
                f"{name}, and does not record it: it is neither in a recorded state nor in a recorded channel"
            )
    return _overtaken(view, was)


def _acts_red(view: View, process: Value) -> bool:
    """Whether what a process does in the step is red: it had recorded, or records the state from before the step."""
    if process in view.red(view.before):
        return True
    recorded = view.entries("recState")
    return process in recorded and not same(recorded[process], view.entries("state")[process])


def _expected_ahead(view: View, channel: tuple[Value, ...]) -> bool:
    """Whether the channel's state was recorded at once, with what was then still to be accepted."""
    if "arrived" not in view.after:
        return False
    before = view.queues("recChan", view.before).get(channel, ())
    still = len(view.queues("whiteInRed", view.before).get(channel, ()))
    return len(before) > still


def _overtaken(view: View, was: Mapping[tuple[Value, ...], tuple[Value, ...]]) -> str | None:
    """Describe what a barrier overtook, and what was recorded of it."""
    for move in view.moves():
        if move.taken is None or not is_control(move.taken):
            continue
        queue = view.queues(state=view.before)[move.channel]
        ahead = tinted(queue[: move.position], "white")
        now = view.queues("recChan").get(move.channel, ())[len(was.get(move.channel, ())) :]
        other = [
            (c, q[len(was.get(c, ())) :])
            for c, q in view.queues("recChan").items()
            if c != move.channel and len(q) > len(was.get(c, ()))
        ]
        name, target = view.channel(move.channel), view.process(move.channel[1])
        if ahead and not same(ahead, now):
            return (
                f"at step {view.number} {target} accepts the barrier of {name}, which overtakes the white "
                f"{view.words.messages(ahead)}, and records {view.words.messages(now)} of {name}"
                + "".join(f", and {view.words.messages(q)} of {view.channel(c)}" for c, q in other)
            )
        if now and not ahead:
            return (
                f"at step {view.number} {target} records {view.words.messages(now)} of {name}, which its barrier "
                "did not overtake"
            )
    return None


def _found_in_channels(view: View) -> str | None:
    """Stop the world: the channels are recorded as they are found when the last process records."""
    everybody = set(view.entries("state"))
    if view.red() != everybody or view.red(view.before) == everybody:
        return None
    for channel, recorded in view.queues("recChan").items():
        white = (*view.queues("whiteInRed")[channel], *tinted(view.queues()[channel], "white"))
        if not same(recorded, white):
            return (
                f"all processes have recorded at step {view.number}, {view.words.messages(white)} is still to "
                "arrive in "
                f"{view.channel(channel)}, and the channel is recorded with {view.words.messages(recorded)}"
            )
    return None


_RULES = (turns_red_once, red_in_white, out_of_order, _wrong_colour, _another_state, _wrongly_kept)
"""The rules of every refinement of the colouring."""


def _two_in_one(view: View) -> str | None:
    """Describe the process that does the work of two actions in one."""
    for move in view.moves():
        sent = [element for element in move.put if not is_control(element)]
        at, name = f"at step {view.number} {view.process(move.channel[0])}", view.channel(move.channel)
        if len(sent) > 1:
            return f"{at} sends {several([view.words.element(e) for e in sent])} on {name} in one action"
        if sent and view.action == "Send" and move.channel[0] in view.red() - view.red(view.before):
            return (
                f"{at} records its state in the very action in which it sends the {view.words.element(sent[0])} on "
                f"{name}"
            )
    return None


def _kept_and_accepted(view: View) -> str | None:
    """Describe the message that is accepted in a white action, though a channel's recorded state has it."""
    for move in view.moves():
        if (
            not isinstance(move.taken, Fn)
            or colour_of(move.taken) != "white"
            or move.channel[1] in view.red(view.before)
        ):
            continue
        if any(same(move.taken["msg"], kept) for kept in view.queues("recChan").get(move.channel, ())):
            what, name = view.words.message(move.taken["msg"]), view.channel(move.channel)
            return (
                f"at step {view.number} {view.process(move.channel[1])}, which has not recorded, accepts the white "
                f"{what} from "
                f"{name}, and {what} is recorded of {name} already: the snapshot would have it twice"
            )
    return None


def _vanishes(view: View) -> str | None:
    """Describe the message that the step removes from the snapshot or adds to it without accepting or sending it."""
    assert view.before is not None  # noqa: S101
    (_, was), (_, now) = (_through_the_snapshot(view, state) for state in (view.before, view.after))
    moves = {move.channel: move for move in view.moves()}
    for channel, queue in now.items():
        old = was.get(channel, ())
        if same(old, queue):
            continue
        lost, new = Counter(old) - Counter(queue), Counter(queue) - Counter(old)
        taken = moves[channel].taken if channel in moves else None
        legal = isinstance(taken, Fn) and channel[1] not in view.red(view.before)
        name, target = view.channel(channel), view.process(channel[1])
        waiting = set(view.entries("state")) - view.red()
        if lost and not legal and "paused" in view.after and waiting:
            return (
                f"at step {view.number} {target}, which has recorded, accepts the white "
                f"{view.words.messages(tuple(lost))} "
                f"from {name} while {view.processes(sorted(waiting, key=str))} has not recorded: nothing keeps it "
                "for the "
                "snapshot"
            )
        if lost and not legal:
            return (
                f"after step {view.number} {view.words.messages(tuple(lost))} of {name} belongs to no part of the "
                "snapshot: "
                f"{target} had recorded before it came, and the channel's recorded state is "
                f"{view.words.messages(view.queues('recChan')[channel])}"
            )
        if new and not (channel in moves and moves[channel].put):
            return (
                f"after step {view.number} the snapshot has {view.words.messages(tuple(new))} in {name}, where "
                "nobody sent it"
            )
    return None


def _through_the_snapshot(
    view: View, state: Fn
) -> tuple[dict[Value, Value], dict[tuple[Value, ...], tuple[Value, ...]]]:
    """Return the global state of the computation in SSSReachable: states by process, and messages by channel."""
    recorded = view.entries("recState", state)
    states = {p: recorded.get(p, own) for p, own in view.entries("state", state).items()}
    kept, arrived = view.queues("recChan", state), view.members("arrived", state)
    complete = set(recorded) == set(states)
    channels = {}
    for channel, queue in view.queues(state=state).items():
        white = () if channel in arrived else tinted(queue, "white")
        if "paused" in state:
            channels[channel] = kept.get(channel, ()) if complete else white
        else:
            channels[channel] = (*kept.get(channel, ()), *white)
    return states, channels


def _no_room(view: View) -> str | None:
    """Describe a message sent on a channel in which the snapshot has messages: a bounded channel may have no room."""
    assert view.before is not None  # noqa: S101
    _, was = _through_the_snapshot(view, view.before)
    for move in view.moves():
        if move.put and was.get(move.channel):
            return (
                f"at step {view.number} {view.process(move.channel[0])} sends {view.words.element(move.put[-1])} on "
                f"{view.channel(move.channel)}, where the snapshot still has {view.words.messages(was[move.channel])}: "
                "there was room only because a red action had accepted that"
            )
    return None


def _refines_chandy_lamport(view: View) -> str | None:
    """Describe the part of the snapshot that a step of the collection changes."""
    if view.before is not None and view.action in ("Report", "Collect", "Conclude"):
        for name in ("recState", "recChan", "state", "chan", "closed", "markers"):
            if not same(view.before[name], view.after[name]):
                was, now = view.entries(name, view.before), view.entries(name)
                key = next((k for k in was if not same(was[k], now.get(k, ()))), None)
                at = (
                    view.channel(key)
                    if isinstance(key, tuple)
                    else view.process(key)
                    if key is not None
                    else name
                )
                old = view.words.row(name, was[key]) if key is not None else None
                new = view.words.row(name, now.get(key, ())) if key is not None else None
                return (
                    f'at step {view.number} {view.action} changes {name} of {at} from "{old}" to "{new}": the '
                    "collection should only watch"
                )
    return refines_white_red(view) or _breaks_markers(view)


def _breaks_markers(view: View) -> str | None:
    """E11, E13, E15: a step treats a snapshot's markers as Chandy and Lamport's does."""
    if view.before is None:
        return None
    at, taken = f"at step {view.number}", set()
    for move in view.moves():
        name = view.channel(move.channel)
        if any(map(is_control, move.put)) and view.entries("markers", view.before)[move.channel]:
            return f"{at} {view.process(move.channel[0])} puts a second marker on {name}"
        if move.taken is not None and is_control(move.taken):
            taken.add(move.channel)
            if move.channel[1] not in view.red():
                target = view.process(move.channel[1])
                return f"{at} {target} accepts its first marker, from {name}, and does not record"
    closed = view.members("closed") - view.members("closed", view.before)
    for channel in sorted(closed - taken, key=str):
        return f"{at} {view.channel(channel)} is closed, and its marker was not accepted"
    return None


STEP_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "RefinesWhiteRed": refines_white_red,
    "SSSReachable": _sss_reachable,
    "RefinesComputation": _refines_computation,
    "RefinesChandyLamport": _refines_chandy_lamport,
}
"""The reasons by the name of the property."""


_BUGS: Final[Mapping[str, str]] = {
    "GiveWay": "a process does not send while a message of one with a greater number is under way",
    "KeepWhenBusy": "who sends keeps what it sends, if something is in another channel",
    "SendInFront": "what is sent to a process of a lower number goes ahead of what is in the channel",
    "TwoUnderWay": "a message is accepted only if another one is under way",
}
"""The results of the functions under each seeded bug."""


def _commute(view: View) -> str | None:
    """E8: neighbouring actions of different processes can be swapped."""
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
    """E8: the last step and the functions have the same effect."""
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
"""The reasons by the name of the property."""
