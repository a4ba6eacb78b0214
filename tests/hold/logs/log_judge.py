"""A judge of logs of ChandyLamport: the run is done again, with queues for its channels.

It shares nothing with the fold, which counts. A line is wrong if its process can never do it after the lines before it.
"""

from __future__ import annotations

from collections import defaultdict, deque


class _WrongError(Exception):
    """A line that its process can never do."""


class _WaitsError(Exception):
    """A line that its process cannot do yet: its channel is empty."""


def wrong_lines(lines, random):
    """Return the places (process, line) of which one is the first that is wrong, in an order drawn at random.

    There is one place, or those that wait for each other, or for what nobody will ever send.
    """
    run = _Run(lines)
    ready, waiting = [p for p in lines if len(lines[p]) > 1], {}
    while ready:
        process = random.choice(ready)
        try:
            run.step(process)
        except _WrongError:
            return {(process, run.at[process] + 1)}
        except _WaitsError as error:
            waiting[process] = error.args[0]
            ready.remove(process)
            continue
        ready += [p for p in list(waiting) if waiting[p] == process and waiting.pop(p)]
        if run.at[process] == len(lines[process]):
            ready.remove(process)
    ended = {p: run.at[p] + 1 for p, source in waiting.items() if source not in waiting}
    return set((ended or {p: run.at[p] + 1 for p in waiting}).items())


class _Run:
    def __init__(self, lines):
        self.lines, self.at = lines, dict.fromkeys(lines, 1)
        header = lines[1][0]
        self.channels = [tuple(channel) for channel in header["channels"]]
        self.balance = {p: log[0].get("state") for p, log in lines.items()}
        self.told = "state" in header
        self.queue = {channel: deque() for channel in self.channels}
        self.sent = dict.fromkeys(self.channels, 0)
        self.recorded, self.closed, self.kept = defaultdict(dict), defaultdict(set), defaultdict(list)
        self.marked, self.done = defaultdict(set), defaultdict(set)
        self.must = {}

    def step(self, process):
        """Do a process's next line. Raises _WrongError or _WaitsError."""
        event = self.lines[process][self.at[process]]
        kind, name = event["e"], event.get("id")
        if self.must.get(process, name) != name or (process in self.must and kind != "record"):
            raise _WrongError
        self._do(process, event, kind.replace("-", "_"), name)
        self.at[process] += 1

    def _do(self, process, event, kind, name):
        channel = tuple(event["c"]) if "c" in event else None
        if channel is not None and channel[kind not in {"send", "marker_out"}] != process:
            raise _WrongError
        getattr(self, f"_{kind}")(process, event, channel, name)

    def _owed(self, process, channels):
        return any(
            process in self.recorded[name] and c not in self.marked[name]
            for name in list(self.recorded)
            for c in channels
        )

    def _require(self, holds):
        if not holds:
            raise _WrongError

    def _next(self, channel, wanted):
        if not self.queue[channel]:
            raise _WaitsError(channel[0])
        self._require(self.queue[channel][0] == wanted)
        self.queue[channel].popleft()

    def _send(self, process, event, channel, _):
        self.sent[channel] += 1
        self._require(event["m"] == self.sent[channel] and not self._owed(process, [channel]))
        self._account(process, event, -1)
        self.queue[channel].append(("message", event["m"], event.get("d")))

    def _receive(self, process, event, channel, _):
        self._next(channel, ("message", event["m"], event.get("d")))
        self._account(process, event, 1)
        for name in self.recorded:
            if process in self.recorded[name] and channel not in self.closed[name]:
                self.kept[name, channel].append(event.get("d"))

    def _account(self, process, event, sign):
        if self.told:
            self.balance[process] += sign * event["d"]
            self._require(event["s"] == self.balance[process])

    def _record(self, process, event, _, name):
        self._require(process not in self.recorded[name] and event.get("s") == self.balance[process])
        came = any(channel[1] == process for channel in self.closed[name])
        self._require(self.must.pop(process, None) == name if came else True)
        self.recorded[name][process] = event.get("s")

    def _marker_out(self, process, _, channel, name):
        self._require(process in self.recorded[name] and channel not in self.marked[name])
        self.marked[name].add(channel)
        self.queue[channel].append(("marker", name))

    def _marker(self, process, _, channel, name):
        self._next(channel, ("marker", name))
        self.closed[name].add(channel)
        if process not in self.recorded[name]:
            self.must[process] = name

    def _done(self, process, event, _, name):
        inputs = [channel for channel in self.channels if channel[1] == process]
        self._require(process in self.recorded[name] and process not in self.done[name])
        self._require(self.closed[name].issuperset(inputs) and event.get("s") == self.recorded[name][process])
        self._require(not self.told or event["chans"] == [[list(c), self.kept[name, c]] for c in inputs])
        self.done[name].add(process)

    def _end(self, process, *_):
        self._require(not self._owed(process, [c for c in self.channels if c[0] == process]))
