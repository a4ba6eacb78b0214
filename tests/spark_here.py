"""Spark's context as far as plans use it, with the tasks in this process: for tests of what a plan's jobs give.

Nothing starts, and TLC's runs are shared as in other tests. Tests of Spark itself take the fixture ``spark``.
"""

from __future__ import annotations

from types import SimpleNamespace


class SparkHere:
    """Call it for a session; ``started`` counts how often that happened."""

    master = "local[2]"
    defaultParallelism = 1  # noqa: N815 - Spark's name

    def __init__(self):
        self.started = 0

    def __call__(self):
        self.started += 1
        return SimpleNamespace(sparkContext=self)

    def parallelize(self, values, _slices):
        return SimpleNamespace(map=lambda work: (values, work))

    def broadcast(self, value):
        return SimpleNamespace(value=value)

    def addJobTag(self, _tag):  # noqa: N802
        pass

    def runJob(self, tasks, function, numbers):  # noqa: N802
        values, work = tasks
        return function(work(values[number]) for number in numbers)
