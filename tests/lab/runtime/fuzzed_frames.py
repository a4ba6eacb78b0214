"""Broken frames for the inputs of vertices: each is dropped, or refused by name, within bounds of memory.

`python -m tests.lab.runtime.fuzzed_frames --frames 1000000 --seed 2` takes more of them than the tests do.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from contextlib import contextmanager
from random import Random

from pyharness.base.errors import ProtocolError
from pyharness.lab.runtime.frames import LONGEST, LONGEST_HELLO, encode
from pyharness.lab.runtime.links import Door
from pyharness.lab.runtime.vertex import Start
from pyharness.lab.runtime.vertex_process import RUNNING, vertex_of

TOKEN = "5eed" * 8
LARGEST_CHUNK = 8192
GRAPHS = {"ChandyLamport": "ring:2", "StopTheWorld": "ring:2"}


class Wire(asyncio.Transport):
    """A transport that leads nowhere."""

    def __init__(self):
        super().__init__()
        self.aborted = False

    def abort(self):
        self.aborted = True

    def is_closing(self):
        return self.aborted


def stream(random: Random, protocol: str) -> list[list]:
    """Return frames as a peer sends them, most of them right."""
    frames, number = [], 0
    for _ in range(random.randint(1, 8)):
        control = (
            ["k", 1, random.randint(1, 3)] if protocol == "ChandyLamport" else ["b", random.randint(0, 3)]
        )
        frames.append(random.choice((["m", number + 1, random.randint(0, 99)], control, ["c", number])))
        number += frames[-1][0] == "m"
    return frames


def broken(random: Random, data: bytes) -> bytes:
    """Return bytes with something wrong in them."""
    data = bytearray(data)
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(data) + 1)
        match random.randrange(7):
            case 0:
                data[at:at] = random.randbytes(random.randint(1, 9))
            case 1:
                del data[at : at + random.randint(1, 9)]
            case 2 if at < len(data):
                data[at] ^= 1 << random.randrange(8)
            case 3:
                data[at:at] = random.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\x10\x01"))
            case 4:
                data[at:at] = encode(
                    random.choice(([], {}, None, ["m"], ["m", -1, 2], ["m", 1, True], ["x", 1]))
                )
            case 5:
                body = b"[" * random.randint(1, 2000)
                data[at:at] = len(body).to_bytes(4, "big") + body
            case 6:
                body = random.choice(
                    (b'["m",1,1e999]', b'["m",NaN,1]', b'["m",1,' + b"9" * 3000 + b"]", b'["k",1,1.0]')
                )
                data[at:at] = len(body).to_bytes(4, "big") + body
    return bytes(data)


@contextmanager
def loop_here():
    """Have a loop that calls of the event loop find, and that runs nothing."""
    loop = asyncio.new_event_loop()
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)
        loop.close()


def one(random: Random) -> tuple[int, str]:
    """Give a vertex broken bytes on a connection; return how many frames these were, and what they came to."""
    protocol = random.choice(list(RUNNING))
    vertex = vertex_of(Start(2, GRAPHS.get(protocol, "pipeline:3"), protocol, 1, 4))
    refused = []
    attached = []
    door = Door(TOKEN, vertex.inputs, vertex.receive, lambda: attached.append(1), refused.append)
    incoming, wire = door.link(), Wire()
    incoming.connection_made(wire)
    frames = stream(random, protocol)
    hello = [
        "h",
        random.choice((TOKEN, TOKEN, TOKEN, TOKEN[:-1], "", "\ud800", "é")),
        random.choice((1, 1, 1, 2)),
        2,
    ]
    right = hello == ["h", TOKEN, 1, 2]
    data = encode(hello) + broken(random, b"".join(map(encode, frames)))
    if random.random() < 0.2:
        data, right = broken(random, data), None
    while data and not wire.aborted:
        size = random.randint(1, LARGEST_CHUNK)
        incoming.data_received(data[:size])
        data = data[size:]
        assert len(incoming.reader._rest) <= LARGEST_CHUNK + (LONGEST if attached else LONGEST_HELLO) + 4
    if right is not None:
        assert bool(attached) == right, "a stranger came in, or one of ours did not"
    if not attached:
        assert door.dropped == wire.aborted
        return len(frames), "dropped" if wire.aborted else "waits for more"
    try:
        for _ in range(20):
            vertex.turn()
    except ProtocolError:
        return len(frames), "refused by the machine"
    return len(frames), "refused" if refused else "accepted"


def fuzz(frames: int, seed: int) -> Counter:
    """Take at least so many frames; return what came of the connections."""
    random, came, done = Random(seed), Counter(), 0
    with loop_here():
        while done < frames:
            count, what = one(random)
            done += count
            came[what] += 1
    return came


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for what, count in sorted(fuzz(given.frames, given.seed).items()):
        print(f"{count:9} connections: {what}")


if __name__ == "__main__":
    main()
