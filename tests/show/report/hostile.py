"""Names that are not kind, and large traces, for tests of what shows traces."""

from __future__ import annotations

from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, function

NAMES = (
    "<script>document.title='owned'</script>",
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "\"'><img src=x onerror=\"document.title='owned'\">",
    "]]>&lt;b&gt;&amp;",
    "\u202eright to left\u202c \u0627\u0644\u0633\u0644\u0627\u0645",
    "zero\u200bwidth\u2028line\x07bell",
    "x" * 5000,
    "{{ 7 * 7 }}{% raw %}",
)


def hostile_trace(names=NAMES):
    """A trace whose processes, messages, states and actions all have such names."""
    ring = [(a, names[(i + 1) % len(names)]) for i, a in enumerate(names)]
    empty = dict.fromkeys(ring, ())

    def step(action, chan, recorded):
        return TraceStep(
            action,
            Fn(
                [
                    ("chan", Fn(chan.items())),
                    ("recState", function([(name, name) for name in recorded])),
                    ("state", Fn([(name, frozenset([name])) for name in names])),
                    (names[0], names[1]),
                ]
            ),
        )

    steps = [step(None, empty, ())]
    for number, channel in enumerate(ring):
        message = Fn([("msg", names[number]), ("colour", names[number - 1])])
        steps.append(step(names[number], empty | {channel: (message,)}, names[:number]))
        steps.append(step(f"Accept{names[number]}", empty, names[: number + 1]))
    return Trace(tuple(steps))


HOSTILE_META = {"title": NAMES[0], "spec": NAMES[3], "mutant": NAMES[5], "violated": NAMES[1]}
