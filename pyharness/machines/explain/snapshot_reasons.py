"""Explain why a snapshot is wrong: the properties that several protocols share, and the laws of their applications.

The function of a property has its name, and its claim as the docstring. It returns why the property fails in the last
state or the last step of a behaviour; ``None`` if it holds. It decides the property of the implementation, too
(``unless``, in the registrations).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.machines.explain.behaviour_view import several, times
from pyharness.machines.explain.state_values import entries, show
from pyharness.machines.protocols import Dataflow
from pyharness.tla.values import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pyharness.machines.explain.behaviour_view import View


_Channels = dict[tuple["Value", ...], tuple["Value", ...]]


def law_broken(
    view: View, states: Mapping[Value, Value], channels: _Channels, *, recorded: bool, lost_only: bool = False
) -> str | None:
    """Explain how a global state breaks the law of its application; ``None`` if it does not, or the law is not known.

    ``recorded`` means that the state is a snapshot, and not the present state. ``lost_only`` takes the law with
    duplicates allowed, which only dataflows have.
    """
    if view.words.application == "Dataflow":
        return _records(view, states, channels, recorded=recorded, lost_only=lost_only)
    kind = {"Items": "item", "Tasks": "task"}.get(view.words.application)
    return _things(view, states, channels, recorded=recorded, kind=kind) if kind and not lost_only else None


def _things(
    view: View, states: Mapping[Value, Value], channels: _Channels, *, recorded: bool, kind: str
) -> str | None:
    begun = view.entries("state", view.trace.steps[0].state)
    names = sorted({name for local in begun.values() for name in _held(local, kind)}, key=str)
    for name in names:
        places = list(_places(view, name, states, channels, kind, recorded=recorded))
        if not places:
            state, channel = ("recorded state", "recorded channel") if recorded else ("state", "channel")
            return f"{kind} {show(name)} is in no {state} and in no {channel}"
        if len(places) > 1:
            return f"{kind} {show(name)} is there {times(len(places))}: {several(places)}"
    return None


def _held(local: Value, kind: str) -> list[Value]:
    """Return the items of a local state, or its tasks, with repetition, retired ones included."""
    if kind == "item":
        return list(local) if isinstance(local, frozenset) else []
    if not isinstance(local, tuple) or len(local) != 5:
        return []
    counts = [*entries(local[0]).items(), *entries(local[1]).items()]
    return [name for name, count in counts if isinstance(count, int) for _ in range(count)]


def _places(
    view: View, name: Value, states: Mapping[Value, Value], channels: _Channels, kind: str, *, recorded: bool
) -> Iterator[str]:
    state, channel = ("the recorded state of ", "the recorded channel ") if recorded else ("", "")
    for process, local in states.items():
        for held in _held(local, kind):
            if same(held, name):
                yield f"in {state}{view.process(process)}"
    for at, queue in channels.items():
        for message in queue:
            if same(message, name):
                yield f"in {channel}{view.channel(at)}"


def _records(
    view: View, states: Mapping[Value, Value], channels: _Channels, *, recorded: bool, lost_only: bool
) -> str | None:
    queues = [channels.get(channel, ()) for channel in sorted(view.queues())]
    ordered = [states[process] for process in sorted(states)]  # type: ignore[type-var]
    visits, expected = Dataflow(0).accounts(ordered, queues)
    for key, count in visits.items():
        should = expected[key]
        if count == should or (lost_only and count >= should):
            continue
        process, source, number = key
        account = _account(view.process(process), count, should, recorded=recorded)
        whose = f"the {'recorded ' if recorded else ''}offset of {view.process(source)}"
        return f"record {number} of source {source} {account}: {whose} is {show(entries(ordered[source - 1])[1])}"
    return None


def _account(process: str, count: int, should: int, *, recorded: bool) -> str:
    """Describe a record that reaches a process more or fewer times than it should."""
    where = "the recorded state of " if recorded else ""
    if not count:
        way = "in no recorded channel" if recorded else "on its way in no channel"
        return f"is lost: it is not folded in {where}{process} and {way}, though it counts as emitted"
    if not should:
        return (
            f"is folded {times(count)} in {where}{process}, or will be, though it still counts as to be "
            "emitted"
        )
    return (
        f"is folded {times(count)} in {where}{process}, counting what is on its way; {times(should)} is right"
    )


def colour_of(element: Value) -> Value | None:
    """Return the colour of an element of a channel; control has none."""
    return element.get("colour") if isinstance(element, Fn) else None


def is_control(element: Value) -> bool:
    """Whether an element of a channel is a marker or a barrier."""
    return isinstance(element, Fn) and "control" in element


def tinted(queue: tuple[Value, ...], colour: str) -> tuple[Value, ...]:
    """Return the messages of a colour in a channel, without it."""
    return tuple(e["msg"] for e in queue if isinstance(e, Fn) and colour_of(e) == colour)


def no_red_in_white(view: View) -> str | None:
    """E4: no red message was accepted in a white action."""
    return red_in_white(view) or _ghost(view) or _in_history(view)


def red_in_white(view: View) -> str | None:
    """Describe the red message that the last step accepts in a white action, if it does."""
    if view.before is None:
        return None
    for move in view.moves():
        target, source = move.channel[1], move.channel[0]
        if move.taken is None or colour_of(move.taken) != "red" or target in view.red(view.before):
            continue
        sent, recorded = view.sent_at(move.channel, move.taken), view.recorded_at(source)
        when = f"sent at step {sent}" if sent else "sent"
        after = (
            ", coloured red"
            if recorded is None
            else ", in the action in which it recorded"
            if recorded == sent
            else f", after it had recorded at step {recorded}"
        )
        turned = (
            "in the very action in which it records" if target in view.red() else "which has not recorded yet"
        )
        what = view.words.message(move.taken["msg"])  # type: ignore[index, call-overload]
        return (
            f"at step {view.number} {view.process(target)}, {turned}, accepts {what} from "
            f"{view.channel(move.channel)}, "
            f"which {view.process(source)} {when}{after}"
        )
    return None


def _ghost(view: View) -> str | None:
    for channel, queue in view.queues("redInWhite").items():
        for message in queue:
            return (
                f"{view.process(channel[1])} accepted the red {view.words.message(message)} from "
                f"{view.channel(channel)} in a white action"
            )
    return None


def _in_history(view: View) -> str | None:
    history = view.after.get("history")
    for entry in history if isinstance(history, tuple) else ():
        if isinstance(entry, Fn) and (entry["action"], entry["tint"], entry["colour"]) == (
            "Accept",
            "red",
            "white",
        ):
            what = view.words.message(entry["msg"])
            return (
                f"{view.process(entry['by'])}, which was white, accepted the red {what} from "
                f"{view.channel(entry['at'])}"
            )
    return None


def _snapshot_conserves(view: View) -> str | None:
    """E7: a complete snapshot obeys the application's law."""
    found = law_broken(view, view.entries("recState"), view.queues("recChan"), recorded=True)
    return found and f"the snapshot is complete, and {found}"


def snapshot_loses_nothing(view: View) -> str | None:
    """A4: in a complete snapshot each record has come, perhaps more than once."""
    found = law_broken(view, view.entries("recState"), view.queues("recChan"), recorded=True, lost_only=True)
    return found and f"the snapshot is complete, and {found}"


def recorded_is_sss(view: View) -> str | None:
    """E6: the recorded channels are those the colours define."""
    accepted = view.queues("whiteInRed")
    for channel, recorded in view.queues("recChan").items():
        still = () if "closed" in view.after else tinted(view.queues()[channel], "white")
        wanted = (*accepted.get(channel, ()), *still)
        if not same(recorded, wanted):
            where = "accepted in a red action" + ("" if "closed" in view.after else ", or is still in it")
            what = f"the white {view.words.messages(wanted)} was" if wanted else "nothing white was"
            return (
                f"{view.words.messages(recorded)} is recorded of {view.channel(channel)}, but {what} {where}"
            )
    return None


def empty_channels(view: View) -> str | None:
    """A11: nothing is recorded of channels."""
    return next(_recorded_channels(view, lambda _: True, "and all inputs were aligned"), None)


def only_logs(view: View) -> str | None:
    """A10: only back edges have a state."""
    return next(_recorded_channels(view, lambda c: c[1] > c[0], "which is not a back edge"), None)  # type: ignore[operator]


def _recorded_channels(view: View, chosen: Callable[[tuple[Value, ...]], bool], why: str) -> Iterator[str]:
    for channel, recorded in view.queues("recChan").items():
        if recorded and chosen(channel):
            yield f"{view.words.messages(recorded)} is recorded as in flight in {view.channel(channel)}, {why}"


def one_marker(view: View) -> str | None:
    """E11: each output of a red process has had exactly one marker, and no output of a white one any."""
    for channel, sent in view.entries("markers").items():
        red = channel[0] in view.red()  # type: ignore[index]
        if sent == int(red):
            continue
        name, source = view.channel(channel), view.process(channel[0])  # type: ignore[index]
        whose = f"{source}, which has {'recorded once' if red else 'not recorded'}"
        count = {"0": "no marker", "1": "a marker", "2": "two markers"}.get(
            show(sent), f"{show(sent)} markers"
        )
        return f"{name} has had {count} from {whose}"
    return None


def one_barrier(view: View) -> str | None:
    """E11: of a red process each output has had one barrier, which is in it or has arrived; of a white one none."""
    arrived = view.members("arrived")
    for channel, queue in view.queues().items():
        red = channel[0] in view.red()
        had = sum(map(is_control, queue)) + (channel in arrived)
        if had == int(red):
            continue
        name, source = view.channel(channel), view.process(channel[0])
        count = ("no barrier", "a barrier", "two barriers")[had] if had < 3 else f"{had} barriers"
        return f"{name} has had {count} from {source}, which has {'recorded once' if red else 'not recorded'}"
    return None


def separates(view: View) -> str | None:
    """E12: in each channel white messages stand before the marker, and red ones after it."""
    for channel, queue in view.queues().items():
        for at, control in enumerate(queue):
            if not is_control(control):
                continue
            kind = show(control["control"]).strip('"')  # type: ignore[index, call-overload]
            for side, colour, where in (
                (queue[:at], "red", "ahead of"),
                (queue[at + 1 :], "white", "behind"),
            ):
                for message in tinted(side, colour):
                    what = view.words.message(message)
                    return f"in {view.channel(channel)} the {colour} {what} stands {where} the {kind}"
    return None


def _locally_final(view: View) -> str | None:
    """E15: the inputs of a process that is done are recorded for good."""
    return not_final(view, view.red())


def not_final(view: View, done: Collection[Value]) -> str | None:
    """Describe a process that counts as ``done`` though something of it is not recorded for good."""
    closed, accepted, recorded = view.members("closed"), view.queues("whiteInRed"), view.queues("recChan")
    for process in sorted(done, key=lambda p: (-len(closed & set(view.inputs(p))), str(p))):
        for channel in view.inputs(process):
            name, begins = view.channel(channel), f"{view.process(process)} takes its part for complete"
            if still := tinted(view.queues()[channel], "white"):
                return f"{begins}, but the white {view.words.messages(still)} is still in {name}"
            if not same(recorded[channel], accepted[channel]):
                since = (
                    f"it has accepted the white {view.words.messages(accepted[channel])} from it since it recorded"
                    if accepted[channel]
                    else "it has accepted nothing white from it since it recorded"
                )
                return (
                    f"{begins} with {view.words.messages(recorded[channel])} recorded of {name}, but {since}"
                )
            if channel[0] not in view.red():
                return (
                    f"{begins}, but {view.process(channel[0])}, from where {name} comes, has not recorded yet"
                )
    return None


def white_sends_white(view: View) -> str | None:
    """E2: a white machine has sent only white messages."""
    for channel, queue in view.queues().items():
        name, source = view.channel(channel), view.process(channel[0])
        if channel[0] not in view.red() and (red := tinted(queue, "red")):
            return (
                f"{source} has not recorded, and the red {view.words.messages(red)} is in its channel {name}"
            )
    return None


def colour_discipline(view: View) -> str | None:
    """E2: a white machine has sent only white messages, and white ones come first in each channel."""
    if found := white_sends_white(view):
        return found
    for channel, queue in view.queues().items():
        name, source = view.channel(channel), view.process(channel[0])
        colours = [colour_of(element) for element in queue]
        if "red" in colours and "white" in colours[colours.index("red") :]:
            white = queue[colours.index("red") + colours[colours.index("red") :].index("white")]
            what = view.words.message(white["msg"])  # type: ignore[index, call-overload]
            return f"in {name} the white {what} stands after a red message: {source} sent it after it had turned red"
    return None


def type_ok(view: View) -> str | None:
    """Recordings, closed channels and barriers are those of processes that have recorded; all else has its type."""
    red = view.red()
    everybody = set(view.entries("state"))
    for channel, recorded in view.queues("recChan").items():
        if recorded and "paused" in view.after and red != everybody:
            white = view.processes(sorted(everybody - red, key=str))
            return (
                f"{view.channel(channel)} is recorded with {view.words.messages(recorded)}, but {white} has not "
                "recorded"
            )
        if recorded and channel[1] not in red:
            return (
                f"{view.words.messages(recorded)} is recorded of {view.channel(channel)}, but "
                f"{view.process(channel[1])}, "
                "to which it goes, has no recorded state"
            )
    for name, end, control in (("closed", 1, "marker"), ("arrived", 0, "barrier")):
        for place in view.members(name):
            if isinstance(place, tuple) and place[end] not in red:
                return (
                    f"the {control} of {view.channel(place)} has been accepted, but {view.process(place[end])} "
                    "has no recorded state"
                )
    if red - everybody:
        return f"{view.processes(sorted(red - everybody, key=str))} has a recorded state and is not a process"
    return None


def turns_red_once(view: View) -> str | None:
    """E1: a process that has recorded its state keeps the recording."""
    if view.before is None:
        return None
    was, now = view.entries("recState", view.before), view.entries("recState")
    for process, state in was.items():
        name, first = view.process(process), view.recorded_at(process)
        old = view.words.local(state) or show(state)
        if process not in now:
            return (
                f"{name} recorded its state at step {first}, and has no recorded state any more after step "
                f"{view.number}"
            )
        if not same(now[process], state):
            new = view.words.local(now[process]) or show(now[process])
            return (
                f'{name} recorded "{old}" at step {first}, and at step {view.number} records again: "{new}"'
            )
    return None


def stays_red(view: View) -> str | None:
    """E3: once everything is red, everything stays red."""
    if view.before is None:
        return None
    lost = view.red(view.before) - view.red()
    if lost:
        return (
            f"everything was red, and after step {view.number} {view.processes(sorted(lost, key=str))} is white "
            "again"
        )
    for channel, queue in view.queues().items():
        if white := tinted(queue, "white"):
            return (
                f"everything was red, and at step {view.number} {view.process(channel[0])} sends the white "
                f"{view.words.messages(white)} on {view.channel(channel)}"
            )
    return None


def _held_up(wrong: str) -> Callable[[View], str]:
    """Return the reason of a property about steps that are held up (E22): the state in which it fails, and ``wrong``."""

    def reason(view: View) -> str:
        """Describe the state of the processes and channels, as far as there are words for it."""
        local = {p: view.words.local(own) for p, own in view.entries("state").items()}
        there = [f"{view.process(process)} {text}" for process, text in local.items() if text]
        for channel, queue in view.queues().items():
            if queue:
                there.append(f"{', '.join(map(view.words.element, queue))} in {view.channel(channel)}")
        if paused := view.members("paused"):
            there.append(f"{view.processes(sorted(paused, key=str))} paused")
        return f"after step {view.number} ({'; '.join(there)}) {wrong}"

    return reason


SNAPSHOT_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "NoRedInWhite": no_red_in_white,
    "SnapshotConserves": _snapshot_conserves,
    "SnapshotLosesNothing": snapshot_loses_nothing,
    "RecordedIsSSS": recorded_is_sss,
    "EmptyChannels": empty_channels,
    "OnlyLogs": only_logs,
    "OneMarker": one_marker,
    "OneBarrier": one_barrier,
    "MarkerSeparates": separates,
    "BarrierSeparates": separates,
    "LocallyFinal": _locally_final,
    "ColourDiscipline": colour_discipline,
    "WhiteSendsWhite": white_sends_white,
    "TurnsRedOnce": turns_red_once,
    "StaysRed": stays_red,
    "HoldsNobodyUp": _held_up("the computation alone could take a step that is not possible here"),
    "HeldIsPaused": _held_up("either a paused process can do more than accept, or something else is held up"),
    "HeldIsInput": _held_up("either a paused source can do something, or something else is held up"),
    "HeldIsBlocked": _held_up(
        "either a message behind the barrier of an input that waits for others can be accepted, or something else "
        "is held up"
    ),
}
"""The reasons by the name of the property; TypeOK and ExactOnPipelines mean more in the specs about checkpoints."""
