"""``pyharness plan pins --update`` writes into files that people read: each table keeps its keys together."""

from __future__ import annotations

import tomlkit

from pyharness.cli import pins_command
from pyharness.models.bounds import Pins

PLAN = """\
[[model]]
name = "one"
stop = ""

# -- Seeded bugs ---------

[[model]]
name = "two"  # the second
# why it is caught
caught_by = ["A"]
# What the third is about.
[[model]]
name = "three"
pins = {distinct = 1}

[[matrix]]
name = "bugs"
[matrix.mutants]
Late = ["A"]
"""

WRITTEN = """\
[[model]]
name = "one"
stop = ""
pins = { distinct = 20, depth = 7 }

# -- Seeded bugs ---------

[[model]]
name = "two"  # the second
# why it is caught
caught_by = ["A", "B"]
pins = { distinct = 3 }
# What the third is about.
[[model]]
name = "three"
pins = { distinct = 4, depth = 2, transitions = 5 }

[[matrix]]
name = "bugs"
[matrix.mutants]
Late = ["B"]
"""


def test_pins_stand_after_the_last_key_of_their_own_table():
    document = tomlkit.parse(PLAN)
    counts = {"one": Pins(20, 7), "two": Pins(3), "three": Pins(4, 2, 5)}
    pins_command._rewrite(document, counts, {"two": ("A", "B"), "bugs-late": ("B",)})
    assert tomlkit.dumps(document) == WRITTEN
