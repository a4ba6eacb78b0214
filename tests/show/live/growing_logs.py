"""Logs that grow while somebody follows them."""

from __future__ import annotations

import json

from pyharness.hold.logs.self_test import simulated


class GrowingLog:
    """The log of a simulated run, in a directory of a run, written piece by piece: :meth:`grow` writes some bytes."""

    def __init__(self, directory, protocol="ChandyLamport", seed=1, *, bug="", restored=()):
        lines = simulated(protocol, seed, bug=bug).lines
        for process, event in restored:
            lines[process].insert(1, event)
        self.directory, self.place = directory, directory / "logs" / "1"
        self.place.mkdir(parents=True)
        self.left = {
            process: "".join(json.dumps(event) + "\n" for event in events).encode()
            for process, events in lines.items()
        }

    def grow(self, process, size):
        piece, self.left[process] = self.left[process][:size], self.left[process][size:]
        with (self.place / f"p{process}.jsonl").open("ab") as stream:
            stream.write(piece)

    def grow_at_random(self, random):
        self.grow(random.choice(list(self.left)), random.randrange(1, 900))

    def end(self):
        for process in self.left:
            self.grow(process, len(self.left[process]))

    @property
    def over(self):
        return not any(self.left.values())
