"""One program that plays one process: the requests to it, and its answers.

A *pure* program is handed its state with each event and hands the next one back; a *stateful* one keeps it, so that an
event in a state that is past is asked anew: ``reset``, the process's own events up to there, and the event. Which of
the two it is, its ``reset_ok`` shows: with a ``state`` or without.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.toolchain.clean_text import one_line
from pyharness.hold.programs.child_process import ChildProcess
from pyharness.hold.programs.wire import (
    CLIENT,
    REFUSED,
    VERSION,
    NoAnswerError,
    Sent,
    canonical,
    envelope,
    node_name,
    read_line,
    sent_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.base.errors import ProgramError
    from pyharness.hold.programs.child_process import Limits
    from pyharness.hold.programs.group_keeper import GroupKeeper
    from pyharness.hold.programs.vocabulary import Event

_REPLIES: Final = ("init_ok", "reset_ok", "show_ok", "step_ok", "error")


class Reply(NamedTuple):
    """A program's reaction to an event: the messages ``sent``, in order, and the fields that it ``shows`` after it.

    ``refused`` has its words if it refused the event. ``state`` is a pure program's next one, as canonical JSON; where
    it refused, it has none to give, and shows nothing.
    """

    sent: tuple[Sent, ...]
    shows: Mapping[str, Any] | None
    refused: str | None = None
    state: str | None = None


@dataclass
class _Partial:
    """The answer up to a reply: the messages sent, the reply's body, and the words of a refusal."""

    sent: list[Sent]
    body: Mapping[str, Any] = field(default_factory=dict)
    refused: str | None = None


class ProgramNode:
    """A program that plays a process. It is started, and given its name and those of all ``processes``.

    Raises SpecError if it cannot be started, ProgramError for a line that is not an answer.
    """

    def __init__(
        self, command: Sequence[str], process: int, processes: int, limits: Limits, keeper: GroupKeeper
    ) -> None:
        self.name = node_name(process)
        self.asked = 0
        """The number of events that the program was given."""
        self._number = 0
        self._child = ChildProcess(command, self.name, limits, keeper)
        try:
            names = [node_name(each) for each in range(1, processes + 1)]
            self._child.write(self._line(CLIENT, {"type": "init", "node_id": self.name, "node_ids": names}))
            self._reply("init_ok")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill the program, and what it has started."""
        self._child.close()

    # -- asking --------------------------------------------------------------------------------------------

    def reset(self, setting: Mapping[str, Any], version: int = VERSION) -> str | None:
        """Begin anew, and return the state of a pure program, ``None`` of one that keeps it.

        Raises ProgramError for a version that is another one.
        """
        self._child.write(self._reset(setting, version))
        reply = self._reply("reset_ok")
        if reply["version"] != VERSION:
            raise self._child.failure(f"it speaks version {reply['version']} of the protocol, not {VERSION}")
        return canonical(reply["state"]) if "state" in reply else None

    def step(self, state: str, event: Event) -> Reply:
        """Return a pure program's reaction to an event in a state of its own."""
        asked = envelope(event.source(), self.name, event.body())[:-1].decode()
        number = self._next()
        body = {"type": "step", "msg_id": number}
        self._child.write(envelope(CLIENT, self.name, body, state=state, event=asked))
        self.asked += 1
        reply = self._answers(number, ("step_ok", "error")).body
        if reply["type"] == "error":
            return Reply((), None, self._refusal(reply))
        try:
            sent = tuple(map(sent_of, reply["sent"]))
            return Reply(sent, reply["shows"], state=canonical(reply["state"]))
        except NoAnswerError as error:
            raise self._child.failure(str(error)) from None

    def take(self, event: Event) -> Reply:
        """Give a stateful program the next event."""
        self._child.write(self._with_fence(event))
        return self._done()

    def take_after(self, setting: Mapping[str, Any], way: Iterable[Event], event: Event) -> Reply:
        """Give a stateful program an event where these have led it, from a reset on; all is written at once."""
        begin = self._reset(setting)
        reset = self._number
        begin += b"".join(self._line(past.source(), past.body()) for past in way)
        begin += self._line(CLIENT, {"type": "show"})
        there = self._number
        self._child.write(begin + self._with_fence(event))
        self._nothing_sent(self._answers(reset, ("reset_ok",)))
        self._answers(there, ("show_ok",))
        return self._done()

    def show(self) -> Mapping[str, Any]:
        """Return the fields that a stateful program shows. Raises ProgramError if it sent something unasked before that."""
        self._child.write(self._line(CLIENT, {"type": "show"}))
        return self._reply("show_ok")

    def request(self, body: Mapping[str, Any], size: int = 1 << 20) -> Mapping[str, Any]:
        """Write a request, ``size`` bytes at a time, and return the body of the reply, an error's too."""
        line = self._line(CLIENT, body)
        for place in range(0, len(line), size):
            self._child.write(line[place : place + size])
        return self._answers(self._number, _REPLIES).body

    # -- helpers -------------------------------------------------------------------------------------------

    def _with_fence(self, event: Event) -> bytes:
        """Return the lines of an event and of the question after it, whose answer shows that the event is over."""
        self.asked += 1
        return self._line(event.source(), event.body()) + self._line(CLIENT, {"type": "show"})

    def _done(self) -> Reply:
        """Read the program's reaction to the event before the last request."""
        found = self._answers(self._number, ("show_ok",), may_refuse=self._number - 1)
        return Reply(tuple(found.sent), found.body, found.refused)

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _line(self, source: str, body: Mapping[str, Any]) -> bytes:
        return envelope(source, self.name, {**body, "msg_id": self._next()})

    def _reset(self, setting: Mapping[str, Any], version: int = VERSION) -> bytes:
        return self._line(CLIENT, {"type": "reset", "version": version, **setting})

    def _reply(self, wanted: str) -> Mapping[str, Any]:
        return self._nothing_sent(self._answers(self._number, (wanted,))).body

    def _nothing_sent(self, found: _Partial) -> _Partial:
        """Require that nothing was sent where no event asked for it."""
        if found.sent:
            dest, body = found.sent[0]
            raise self._child.failure(
                f"after its last answer it sent {one_line(body, 120)} to {one_line(dest, 40)}"
            )
        return found

    def _answers(self, number: int, wanted: Sequence[str], may_refuse: int | None = None) -> _Partial:
        """Read up to the reply to request ``number``; request ``may_refuse`` may be refused before it."""
        found = _Partial([])

        def last(line: bytes) -> bool:
            message = self._read(line)
            body = message["body"]
            if _acknowledges(body, number):
                return False
            if body["type"] not in _REPLIES:
                found.sent.append(sent_of(message))
            elif body["in_reply_to"] == number and body["type"] in wanted:
                found.body = body
                return True
            elif body["type"] != "error":
                raise self._unasked(body, number, wanted)
            elif body["in_reply_to"] == may_refuse and found.refused is None:
                found.refused = self._refusal(body)
            else:
                raise self._child.failure(
                    f"request {body['in_reply_to']} is answered by error {_words(body)}"
                )
            return False

        self._child.read_until(last)
        return found

    def _read(self, line: bytes) -> Mapping[str, Any]:
        try:
            message = read_line(line)
        except NoAnswerError as error:
            raise self._child.failure(str(error)) from None
        if message["src"] != self.name:
            raise self._child.failure(f"it writes as {one_line(message['src'], 40)}, and plays {self.name}")
        return message

    def _refusal(self, body: Mapping[str, Any]) -> str:
        """Return the words of a refusal. Raises ProgramError for an error that is not one."""
        if body["code"] != REFUSED:
            raise self._child.failure(f"it answers by error {_words(body)}")
        return str(one_line(str(body.get("text", "")), 200))

    def _unasked(self, body: Mapping[str, Any], number: int, wanted: Sequence[str]) -> ProgramError:
        answer = f"{body['type']} in reply to {body.get('in_reply_to')}"
        return self._child.failure(
            f"it answers {one_line(answer, 80)}, where request {number} wants {' or '.join(wanted)}: "
            "one answer to each request, in order"
        )


def _acknowledges(body: Mapping[str, Any], number: int) -> bool:
    """Return whether this only confirms an earlier request, as node libraries do, with ``send_ok`` for instance."""
    kind, answers = body["type"], body.get("in_reply_to")
    return kind.endswith("_ok") and kind not in _REPLIES and isinstance(answers, int) and answers < number


def _words(body: Mapping[str, Any]) -> str:
    return one_line(json.dumps([body["code"], body.get("text", "")]), 200)
