"""A program made of the project's own machines, for any protocol that programs are held against, with any seeded bug.

``reference_program.py [--pure] [--mutant NAME]``: what it is told at a reset says which machine it is. A test that is
not about processes takes :class:`Program` itself for one (the fixture ``in_process``): a hundred times as fast.
"""

from __future__ import annotations

import json
import sys

from pyharness.base.topology import Topology
from pyharness.hold.programs.vocabulary import HELD, element_body
from pyharness.hold.programs.wire import node_name
from pyharness.machines.protocols import END, Barrier, Cancel, Items, Message, Operator, Recorded
from pyharness.machines.protocols.checkpoint_mutants import OPERATOR_MUTANTS
from pyharness.machines.protocols.checkpoints.operator_drive import TIMEOUT, OperatorDriver, Overtaking
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport
from pyharness.machines.protocols.markers.snapshots import SnapshotMarker, SnapshotPart, Snapshots
from pyharness.machines.systems import find_mutant, find_protocol


class Loop(ChandyLamport):
    """A marker from itself closes all inputs."""

    def accept_marker(self, state, channel):
        step = super().accept_marker(state, channel)
        alike = channel[0] == channel[1]
        return step._replace(state=step.state._replace(closed=(True,) * len(self.inputs))) if alike else step


class TwoMarkers(ChandyLamport):
    """One that may begin, and has two markers, records nothing of its third input."""

    def recording(self, state, index, *, action):
        drops = self.is_initiator and index == 2 and sum(state.closed) == 2
        return not drops and super().recording(state, index, action=action)


class ForgetsThird(Snapshots):
    """Nothing is recorded of channels for the third snapshot that it takes part in."""

    def recording(self, state, index):
        third = frozenset(own for own, _ in state.parts[2:3])
        return super().recording(state, index) - third


BUGS = {bug.__name__: bug for bug in (Loop, TwoMarkers, ForgetsThird)}
"""Bugs that show themselves on few graphs, or late."""


def number(name):
    return int(name[1:])


def frozen(value):
    """What is shown as JSON, as it was: tuples, sets, a record."""
    match value:
        case {"tuple": parts}:
            return tuple(map(frozen, parts))
        case {"set": parts}:
            return frozenset(parts)
        case {"recorded": part}:
            return Recorded(frozen(part))
        case {"part": [state, logs, closed]}:
            return SnapshotPart(frozen(state), frozen(logs), frozen(closed))
    return value


def plain(value):
    if isinstance(value, Recorded):
        return {"recorded": plain(value.state)}
    if isinstance(value, SnapshotPart):
        return {"part": list(map(plain, value))}
    if isinstance(value, frozenset):
        return {"set": sorted(value)}
    return {"tuple": list(map(plain, value))} if isinstance(value, tuple) else value


class Snapshot:
    def __init__(self, me, names, body, mutant):
        self.spec, self.me = find_protocol(body["protocol"]), me
        channels = [(number(source), me) for source in body["inputs"]]
        channels += [(me, number(target)) for target in body["outputs"]]
        graph = Topology.of(len(names), set(channels), [me] if body["initiator"] else [])
        kind = self.spec.process
        if mutant:
            bug = BUGS.get(mutant) or find_mutant(body["protocol"], mutant)["process"]
            kind = bug if issubclass(bug, kind) else type(bug.__name__, (bug, kind), {})
        self.machine = kind(me, graph, Items(1))
        self.state = self.machine.initial(frozenset(body["items"]))

    def take(self, body, source):
        channel = (number(source), self.me) if source[0] == "n" else None
        match body["type"]:
            case "send":
                step = self.machine.send(self.state, (self.me, number(body["to"])), body["msg"])
            case "message":
                step = self.machine.accept(self.state, channel, Message(body["msg"]))
            case "marker" if "id" in body:
                initiator, count = body["id"]
                marker = SnapshotMarker((number(initiator), count))
                step = self.machine.accept_marker(self.state, channel, marker)
            case "marker":
                step = self.machine.accept_marker(self.state, channel)
            case "barrier":
                step = self.machine.accept_barrier(self.state, channel, tuple(body.get("overtakes", ())))
            case "record":
                step = self.machine.record(
                    self.state,
                    tuple(tuple(body["found"].get(node_name(c[0]), ())) for c in self.machine.inputs),
                )
            case handler:
                step = getattr(self.machine, handler)(self.state)
        if step is None:
            return None
        self.state = step.state
        return [
            (node_name(output[1]), element_body(element))
            for output, elements in zip(self.machine.outputs, step.outputs, strict=True)
            for element in elements
        ]

    def shows(self):
        return HELD[self.spec.name].shows(self.machine, self.state)

    def kept(self):
        return plain(tuple(self.state))

    def restore(self, state):
        self.state = type(self.state)(*frozen(state))


class OneOperator:
    def __init__(self, me, names, body, mutant):
        kind = OPERATOR_MUTANTS[mutant] if mutant else Operator
        self.driver = OperatorDriver(kind(len(body["inputs"]), body["mode"]))
        self.count = 0

    def take(self, body, source):
        match body:
            case {"type": "barrier", "overtakes": records, "id": number_of}:
                element = Overtaking(Barrier(number_of), tuple(records))
            case {"type": "barrier", "id": number_of}:
                element = Barrier(number_of)
            case {"type": "cancel", "id": number_of}:
                element = Cancel(number_of)
            case {"type": "record", "record": element}:
                pass
            case {"type": kind}:
                element = {"end": END, "time_out": TIMEOUT}[kind]
        self.count += 1
        moment = self.driver.take(self.count, (number(source) - 1 if source[0] == "n" else 0, element))
        done = []
        for effect in moment.effects:
            if effect.kind == "processed":
                done.append(
                    {"type": "processed", "input": node_name(effect.input + 1), "record": effect.record}
                )
            elif effect.kind in {"aborted", "triggered"}:
                done.append({"type": effect.kind, "id": effect.id})
            elif effect.kind == "completed":
                logs = moment.in_flight[effect.id]
                in_flight = {node_name(i): list(log) for i, log in enumerate(logs, start=1)}
                done.append({"type": "completed", "id": effect.id, "in_flight": in_flight})
        return [("c1", body) for body in done]

    def shows(self):
        return {}


class Program:
    """What the program does: a line in, lines out."""

    def __init__(self, arguments):
        self.pure = "--pure" in arguments
        self.mutant = arguments[arguments.index("--mutant") + 1] if "--mutant" in arguments else ""

    def answers(self, line):
        message = json.loads(line)
        source, body = message["src"], message["body"]
        for dest, more in self.bodies(source, body):
            yield json.dumps({"src": node_name(self.me), "dest": dest, "body": more})

    def bodies(self, source, body):
        def reply(kind, more):
            return source, {"type": kind, "in_reply_to": body["msg_id"], **more}

        match body["type"]:
            case "init":
                self.me, self.names = number(body["node_id"]), body["node_ids"]
                yield reply("init_ok", {})
            case "reset":
                kind = OneOperator if body["protocol"] == "Operator" else Snapshot
                self.machine = kind(self.me, self.names, body, self.mutant)
                yield reply(
                    "reset_ok", {"version": 1, **({"state": self.machine.kept()} if self.pure else {})}
                )
            case "show":
                yield reply("show_ok", self.machine.shows())
            case "step":
                self.machine.restore(body["state"])
                sent = self.machine.take(body["event"]["body"], body["event"]["src"])
                if sent is None:
                    yield reply("error", {"code": 22})
                else:
                    sent = [{"dest": dest, "body": more} for dest, more in sent]
                    yield reply(
                        "step_ok", {"state": self.machine.kept(), "sent": sent, "shows": self.machine.shows()}
                    )
            case _:
                sent = self.machine.take(body, source)
                yield from [reply("error", {"code": 22})] if sent is None else sent


if __name__ == "__main__":
    program = Program(sys.argv[1:])
    for request in sys.stdin:
        for answer in program.answers(request):
            print(answer, flush=True)  # noqa: T201 - it is what a program is for
