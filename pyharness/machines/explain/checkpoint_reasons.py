"""Explain why checkpoints are wrong: a function for each property of ``Checkpoints``, as in ``snapshot_reasons``.

If a property depends on the constants ``Mode`` and ``Overlap``, the trace's document has them; without them the trace is
taken to be of a violation.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from pyharness.machines.explain.behaviour_view import several, times
from pyharness.machines.explain.snapshot_reasons import law_broken
from pyharness.machines.explain.state_values import entries, show
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import IN_ORDER
from pyharness.tla.values import Fn, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyharness.machines.explain.behaviour_view import View


def _checkpoint_exact(view: View) -> str | None:
    """A1: each complete checkpoint is the fold of exactly the records up to its offsets."""
    return _checkpoint(view, lost_only=False)


def _checkpoint_loses_nothing(view: View) -> str | None:
    """A4: each complete checkpoint is the fold of at least the records up to its offsets."""
    return _checkpoint(view, lost_only=True)


def _checkpoint(view: View, *, lost_only: bool) -> str | None:
    for number in sorted(view.members("completed"), key=str):
        acks = entries(view.entries("acks").get(number))
        if not _is_complete(view, acks):
            continue
        states = {p: ack["state"] for p, ack in acks.items() if isinstance(ack, Fn)}
        logs = {
            channel: records
            for ack in acks.values()
            for channel, records in entries(ack["log"] if isinstance(ack, Fn) else None).items()
            if isinstance(channel, tuple) and isinstance(records, tuple)
        }
        if found := law_broken(view, states, logs, recorded=True, lost_only=lost_only):
            return f"checkpoint {show(number)} is complete; in it {found}"
    return None


def _exactly_once(view: View) -> str | None:
    """A2: tasks have folded each record as often as a run without failures does."""
    return _now(view, lost_only=False)


def _at_least_once(view: View) -> str | None:
    """A4: tasks have folded each record at least as often as a run without failures does."""
    return _now(view, lost_only=True)


def _now(view: View, *, lost_only: bool) -> str | None:
    queues = {
        channel: tuple(e["msg"] for e in queue if isinstance(e, Fn) and "msg" in e)
        for channel, queue in view.queues().items()
    }
    found = law_broken(view, view.entries("state"), queues, recorded=False, lost_only=lost_only)
    crashed = f"after {_crashes(view)} " if view.after.get("crashes") else ""
    return found and crashed + found


def _crashes(view: View) -> str:
    count, restored = (
        view.after["crashes"],
        max((n for n in view.members("completed") if isinstance(n, int)), default=0),
    )
    place = f"checkpoint {restored}" if restored else "the beginning"
    return f"the crash, from {place} on," if count == 1 else f"{show(count)} crashes"


def exact_on_pipelines(view: View) -> str | None:
    """A4: where no task has two inputs, no record comes twice.

    In a protocol with one snapshot, this is about the snapshot.
    """
    if any(len(view.inputs(process)) > 1 for process in view.entries("state")):
        return None
    if "acks" in view.after:
        found = _exactly_once(view)
    else:
        found = law_broken(view, view.entries("recState"), view.queues("recChan"), recorded=True)
    return found and f"no task has two inputs, and yet {found}"


def _output_once(view: View) -> str | None:
    """A3: a plain sink puts each record out once, which fails after a crash."""
    return _twice(view, "output", "puts out")


def _output_once_per_run(view: View) -> str | None:
    """A3: a crash brings a record to a plain sink once more, and no more often."""
    crashes = view.after.get("crashes")
    for sink, source, number, count in _bag(view, "output"):
        if isinstance(crashes, int) and count > crashes + 1:
            output = f"the sink {view.process(sink)} puts out record {number} of source {show(source)} {times(count)}"
            return f"{output}, and all tasks crashed {times(crashes)}"
    return None


def _committed_once(view: View) -> str | None:
    """A3: a sink with two-phase commit commits each record at most once."""
    return _twice(view, "committed", "commits")


def _twice(view: View, name: str, verb: str) -> str | None:
    for sink, source, number, count in _bag(view, name):
        if count > 1:
            return f"the sink {view.process(sink)} {verb} record {number} of source {show(source)} {times(count)}"
    return None


def _committed_is_safe(view: View) -> str | None:
    """A3: a sink has committed only records that a complete checkpoint has folded."""
    newest, acks = _newest(view)
    if newest and not _is_complete(view, acks):
        return None
    for sink, source, number, count in _bag(view, "committed"):
        ack = acks.get(sink)
        folded = _count(ack["state"][1], source, number) if isinstance(ack, Fn) else 0  # type: ignore[index]
        if count > folded:
            sure = f"checkpoint {newest}, the newest complete one, has folded it {times(folded)}"
            return (
                f"the sink {view.process(sink)} has committed record {number} of source {show(source)} "
                f"{times(count)}, but {sure if newest else 'no checkpoint is complete'}: a crash would bring it again"
            )
    return None


def _committed_loses_nothing(view: View) -> str | None:
    """A3: each record that the newest complete checkpoint has folded is committed, or staged up to it."""
    newest, acks = _newest(view)
    for process, committed in view.entries("committed").items() if _is_complete(view, acks) else ():
        ack, staged = acks.get(process), entries(view.entries("staged").get(process))
        bags = [committed, *(bag for n, bag in staged.items() if isinstance(n, int) and n <= newest)]
        for source, number, folded in _counts(ack["state"][1]) if isinstance(ack, Fn) else ():  # type: ignore[index]
            if sum(_count(bag, source, number) for bag in bags) < folded:
                return (
                    f"checkpoint {newest} is complete, and has folded record {show(number)} of source {show(source)} "
                    f"at the sink {view.process(process)}, so that no crash brings it again; but it is neither "
                    "committed nor staged for it"
                )
    return None


def _sinks_keep_all(view: View) -> str | None:
    """A3: a sink has put out each record that it has folded, which is committed, staged or open, once."""
    states = view.entries("state")
    for process, put in view.entries("output").items():
        bags = {name: view.entries(name).get(process) for name in ("committed", "open")}
        staged = entries(view.entries("staged").get(process))
        own: Any = states.get(process)
        for source, number, folded in _counts(own[1]) if isinstance(own, tuple) else ():
            case = (
                f"the sink {view.process(process)} has folded record {show(number)} of source {show(source)}"
            )
            if _count(put, source, number) < folded:
                return f"{case} {times(folded)}, and has put it out {times(_count(put, source, number))}"
            kept = sum(_count(bag, source, number) for bag in (*bags.values(), *staged.values()))
            if kept != folded:
                return f"{case} {times(folded)}, and has it {times(kept)}: committed, staged or since the last barrier"
    return None


def _newest(view: View) -> tuple[int, dict[Value, Value]]:
    """Return the number of the newest complete checkpoint, 0 without one, and its acknowledgements."""
    newest = max((n for n in view.members("completed") if isinstance(n, int)), default=0)
    return newest, entries(view.entries("acks").get(newest))


def _is_complete(view: View, acks: Mapping[Value, Value]) -> bool:
    return set(acks) == set(view.entries("state"))


def _count(bag: Value | None, source: Value, number: Value) -> int:
    count = entries(entries(bag).get(source)).get(number, 0)
    return count if isinstance(count, int) else 0


def _counts(bag: Value) -> Iterator[tuple[Value, Value, int]]:
    for source, row in entries(bag).items():
        for number, count in entries(row).items():
            if isinstance(count, int):
                yield source, number, count


def _bag(view: View, name: str) -> Iterator[tuple[Value, Value, Value, int]]:
    for sink, bag in view.entries(name).items():
        for source, number, count in _counts(bag):
            yield sink, source, number, count


def _aborted_once(view: View) -> str | None:
    """A7: a task aborts a checkpoint once."""
    for process, counts in view.entries("aborts").items():
        for number, count in entries(counts).items():
            if isinstance(count, int) and count > 1:
                return f"{view.process(process)} has aborted checkpoint {show(number)} {times(count)}"
    return None


def _abort_unblocks(view: View) -> str | None:
    """A7: a task is not blocked by a checkpoint that it aborted."""
    for process, counts in view.entries("aborts").items():
        for pending in _pending(view, process):
            if entries(counts).get(pending["id"]):
                channels = ", ".join(view.channel(c) for c in _entries_of(pending["arrived"]))
                blocked = f", and has {channels} blocked for it" if channels else ""
                return (
                    f"{view.process(process)} has aborted checkpoint {show(pending['id'])} and still waits for "
                    f"it{blocked}"
                )
    return None


def _abort_has_cause(view: View) -> str | None:
    """A7: no checkpoint is given up that no task aborted and no newer one subsumes, unless all tasks crashed."""
    if view.after.get("crashes"):
        return None
    newest = 0 if view.constant("Overlap") == IN_ORDER else _newest(view)[0]
    counts = [entries(own) for own in view.entries("aborts").values()]
    for number in sorted(view.members("aborted"), key=str):
        subsumed = isinstance(number, int) and number < newest
        if not subsumed and not any(own.get(number) for own in counts):
            return f"checkpoint {show(number)} is aborted, and no task aborted it"
    return None


def _savepoint_is_aligned(view: View) -> str | None:
    """A11: a savepoint has nothing in flight, except records that come back in a loop."""
    loops = view.constant("Mode") == "cyclic"
    for number, acks in view.entries("acks").items():
        for process, ack in entries(acks).items() if number == view.constant("Savepoint") else ():
            for channel, log in entries(ack["log"] if isinstance(ack, Fn) else None).items():
                if isinstance(log, tuple) and log and not (loops and _comes_back(channel)):
                    records = "a record" if len(log) == 1 else f"{len(log)} records"
                    return (
                        f"checkpoint {show(number)} is a savepoint, and {view.process(process)} has recorded "
                        f"{records} as in flight in {view.channel(channel)}"
                    )
    return None


def _comes_back(channel: Value) -> bool:
    match channel:
        case int(source), int(target):
            return target <= source
    return False


def _acknowledged_is_durable(view: View) -> str | None:
    """A8: each checkpoint that a task has acknowledged is durable there."""
    for process, parts in view.entries("uploads").items():
        for number in entries(parts):
            if process in entries(view.entries("acks").get(number)):
                return (
                    f"{view.process(process)} has acknowledged checkpoint {show(number)} before it is durable"
                )
    return None


def _complete_iff_acknowledged(view: View) -> str | None:
    """A8: a checkpoint is complete if all have acknowledged it, and only then."""
    everybody, newest = set(view.entries("state")), _newest(view)[0]
    in_order = view.constant("Overlap") == IN_ORDER
    for number, acks in view.entries("acks").items():
        lacking = sorted(everybody - set(entries(acks)), key=str)
        if number == newest and lacking:
            return (
                f"checkpoint {show(number)} is complete, but {view.processes(lacking)} never acknowledged it"
            )
        waits = in_order and _pending_before(view, number)
        if not lacking and number not in view.members("completed") and not waits:
            return f"every task has acknowledged checkpoint {show(number)}, and it is not complete"
    return None


def _complete_in_order(view: View) -> str | None:
    """A8: where checkpoints are completed in their order, all before a complete one are complete or aborted."""
    for number in sorted(view.members("completed"), key=str):
        if ahead := _pending_before(view, number):
            return f"checkpoint {show(number)} is complete ahead of its turn: checkpoint {ahead[0]} is still pending"
    return None


def _pending_before(view: View, number: Value) -> list[int]:
    over = view.members("completed") | view.members("aborted")
    return [n for n in range(1, number) if n not in over] if isinstance(number, int) else []


def _barriers_ascend(view: View) -> str | None:
    """A8: each barrier on a channel is of a later checkpoint than the one before."""
    for channel, queue in view.queues().items():
        sent = [each["id"] for each in queue if isinstance(each, Fn) and each.get("control") == "barrier"]
        for one, other in pairwise(sent):
            if isinstance(one, int) and isinstance(other, int) and one >= other:
                return (
                    f"in {view.channel(channel)} the barrier of checkpoint {other} comes after that of {one}"
                )
    return None


def _monotone_ids(view: View) -> str | None:
    """A8: the coordinator's numbers ascend, and a complete checkpoint stays complete."""
    if view.before is None:
        return None
    lost = sorted(view.members("completed", view.before) - view.members("completed"), key=str)
    if lost:
        names = several([f"checkpoint {show(number)}" for number in lost])
        return f"{names} was complete, and after step {view.number}, {view.action}, is not any more"
    was, now = view.before.get("triggered"), view.after.get("triggered")
    if isinstance(was, int) and isinstance(now, int) and now < was:
        return f"the coordinator's number falls from {was} to {now} at step {view.number}"
    return None


def _none_waits(view: View) -> str | None:
    """A7, A9, A10: when sources have heard, nothing is on its way, and all is durable, no checkpoint is waited for."""
    found = next(chain(_unended(view, view.after), _held_up(view)), None)
    return found and f"nothing is on its way any more, and {found}"


def _held_up(view: View) -> Iterator[str]:
    """Yield a description of each task that still waits for a checkpoint that is over, and of the missing barriers."""
    for process in view.entries("state"):
        for pending in _pending(view, process):
            how = "was aborted" if pending["id"] in view.members("aborted") else "is over"
            waits = waiting_for(view, view.after, process, pending["id"])
            yield f"checkpoint {pending['id']} {how}; yet {waits or f'{view.process(process)} has not ended it'}"


def _every_checkpoint_ends(view: View) -> str | None:
    """A9: each triggered checkpoint is complete or aborted in the end."""
    for index in view.numbers():
        if found := next(_unended(view, view.trace.steps[index].state), None):
            return f"it stays so forever that {found}"
    return None


def _unended(view: View, state: Fn) -> Iterator[str]:
    over, triggered = (
        view.members("completed", state) | view.members("aborted", state),
        state.get("triggered"),
    )
    for number in range(1, triggered + 1) if isinstance(triggered, int) else ():
        if number not in over:
            lacking = sorted(
                set(view.entries("state")) - set(entries(view.entries("acks", state).get(number))), key=str
            )
            waits = [text for process in lacking if (text := waiting_for(view, state, process, number))]
            have = "has" if len(lacking) == 1 else "have"
            missing = f": {view.processes(lacking)} {have} not acknowledged it" if lacking else ""
            yield f"checkpoint {number} is neither complete nor aborted{missing}" + "".join(
                f"; {w}" for w in waits
            )


def waiting_for(view: View, state: Fn, process: Value, number: Value) -> str | None:
    """Return a description of the barriers of a checkpoint that a task waits for; ``None`` if it waits for none."""
    for pending in _pending(view, process, state):
        if pending["id"] == number:
            missing = [c for c in view.inputs(process) if c not in _entries_of(pending["arrived"])]
            names = several([view.channel(channel) for channel in missing])
            return f"{view.process(process)} waits for its barrier from {names}" if names else None
    return None


def _pending(view: View, process: Value, state: Fn | None = None) -> list[Fn]:
    task = view.entries("task", state).get(process)
    pending = task.get("pending") if isinstance(task, Fn) else None
    return [each for each in pending if isinstance(each, Fn)] if isinstance(pending, tuple) else []


def _entries_of(value: Value) -> list[Value]:
    """Return a set's members in order; nothing for another value."""
    return sorted(value, key=str) if isinstance(value, frozenset) else []


def type_ok(view: View) -> str | None:
    """All numbers are of triggered checkpoints, of one at a time where they do not overlap, and counters are bounded."""
    both = view.members("completed") & view.members("aborted")
    if both:
        return f"checkpoint {show(min(both, key=str))} is complete and aborted"
    triggered = view.after.get("triggered")
    for number in view.members("completed") | view.members("aborted"):
        if isinstance(number, int) and isinstance(triggered, int) and not 1 <= number <= triggered:
            return f"checkpoint {number} has ended, and only {triggered} were triggered"
    for number, acks in view.entries("acks").items():
        if entries(acks) and number in view.members("aborted"):
            return f"checkpoint {show(number)} is aborted, and what was acknowledged of it is kept"
        if entries(acks) and isinstance(number, int) and isinstance(triggered, int) and number > triggered:
            return f"checkpoint {number} is acknowledged, and only {triggered} were triggered"
    for name, bound in (("declines", "MaxDeclines"), ("crashes", "MaxCrashes")):
        count, most = view.after.get(name), view.constant(bound)
        if isinstance(count, int) and isinstance(most, int) and count > most:
            return f"{name} are {count}, and {bound} is {most}"
    if view.members("ended") and view.constant("Ends") == 0:
        return f"{view.processes(sorted(view.members('ended'), key=str))} came to an end, and no source ends"
    for process in view.entries("task"):
        pending = _pending(view, process)
        if len(pending) > 1 and view.constant("Mode") != "at-least-once":
            names = several([show(each["id"]) for each in pending])
            return f"{view.process(process)} waits for checkpoints {names} at a time: there should be one"
        for number in set(entries(view.entries("copies").get(process))) - {each["id"] for each in pending}:
            return f"{view.process(process)} keeps a state for checkpoint {show(number)}, which it does not wait for"
        for number in entries(view.entries("uploads").get(process)):
            recorded = f"{view.process(process)} has recorded a state for checkpoint {show(number)} that is not durable"
            if view.constant("Uploads") == 0:
                return f"{recorded}, and what is recorded is durable at once"
            if isinstance(number, int) and isinstance(triggered, int) and number > triggered:
                return f"{recorded}, and only {triggered} were triggered"
    return None


def _switch_is_told(view: View) -> str | None:
    """A6: each barrier of a task that has switched is marked so, until it is taken."""
    if view.constant("Mode") not in (None, "timeout"):
        return None
    for channel, queue in view.queues().items():
        switched = {each["id"] for each in _pending(view, channel[0])}
        for element in queue:
            flag = isinstance(element, Fn) and ("alignment" in element or element.get("control") != "barrier")
            if isinstance(element, Fn) and not flag and element["id"] in switched:
                return (
                    f"{view.process(channel[0])} has switched checkpoint {show(element['id'])} to unaligned, and its "
                    f"barrier in {view.channel(channel)} does not say so"
                )
    return None


def _switch_is_followed(view: View) -> str | None:
    """A6: the receiver of a barrier whose sender switched does not align for that checkpoint any more."""
    if view.before is None or view.before.get("crashes") != view.after.get("crashes"):
        return None
    for channel, queue in view.queues(state=view.before).items():
        marked, left = map(_switched, (queue, view.queues().get(channel, ())))
        for pending in _pending(view, channel[1]) if len(left) < len(marked) else ():
            held: Any = pending["held"]
            if pending["id"] == marked[0]["id"] and (not pending["taken"] or channel in held):
                return (
                    f"{view.process(channel[1])} has taken the barrier of {view.channel(channel)}, whose sender has "
                    f"switched checkpoint {show(pending['id'])} to unaligned, and aligns all the same"
                )
    return None


def _switched(queue: tuple[Value, ...]) -> list[Fn]:
    return [e for e in queue if isinstance(e, Fn) and e.get("alignment") == "unaligned"]


CHECKPOINT_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "CheckpointExact": _checkpoint_exact,
    "CheckpointLosesNothing": _checkpoint_loses_nothing,
    "ExactlyOnce": _exactly_once,
    "AtLeastOnce": _at_least_once,
    "ExactOnPipelines": exact_on_pipelines,
    "OutputOnce": _output_once,
    "OutputOncePerRun": _output_once_per_run,
    "CommittedOnce": _committed_once,
    "CommittedIsSafe": _committed_is_safe,
    "CommittedLosesNothing": _committed_loses_nothing,
    "SinksKeepAll": _sinks_keep_all,
    "CompleteInOrder": _complete_in_order,
    "AbortedOnce": _aborted_once,
    "AbortUnblocks": _abort_unblocks,
    "AbortHasCause": _abort_has_cause,
    "CompleteIffAcknowledged": _complete_iff_acknowledged,
    "AcknowledgedIsDurable": _acknowledged_is_durable,
    "BarriersAscend": _barriers_ascend,
    "MonotoneIds": _monotone_ids,
    "SavepointIsAligned": _savepoint_is_aligned,
    "SwitchIsTold": _switch_is_told,
    "SwitchIsFollowed": _switch_is_followed,
    "NoneWaits": _none_waits,
    "EveryCheckpointEnds": _every_checkpoint_ends,
}
"""The reasons by the name of the property; TypeOK means something else in the specs with one snapshot."""
