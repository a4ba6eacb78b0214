"""Find room for labels in a picture: where they cover no other, no dot and no head, and rather no line."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pyharness.report.trace.layout import Point

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUCKET = 64.0
_ON_LINE = 0.35
"""What it costs to cover a pixel of a line, where one of a label costs 1."""


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    cost: float
    owner: int | None


class Labels:
    """What is taken already. A label that belongs to a line may lie on that line: both have the same ``owner``."""

    def __init__(self) -> None:
        self._buckets: dict[int, list[_Box]] = defaultdict(list)

    def block(self, centre: Point, width: float, height: float) -> None:
        """Keep a place free of labels."""
        self._add(_box(centre, width, height, 1.0, None))

    def line(self, points: Iterable[Point], owner: int | None = None) -> None:
        """Note where a line is, by points on it that are not far from each other."""
        for point in points:
            self._add(_box(point, 7, 7, _ON_LINE, owner))

    def place(
        self, candidates: Iterable[Point], width: float, height: float, owner: int | None = None
    ) -> Point:
        """Take the first candidate with room, or else the one that covers least."""
        best, least = Point(0, 0), float("inf")
        for centre in candidates:
            box = _box(centre, width, height, 1.0, owner)
            covered = self._covered(box)
            if covered < least:
                best, least = centre, covered
            if not covered:
                break
        self.block(best, width, height)
        return best

    def _add(self, box: _Box) -> None:
        for bucket in range(int(box.left // _BUCKET), int(box.right // _BUCKET) + 1):
            self._buckets[bucket].append(box)

    def _covered(self, box: _Box) -> float:
        near = {
            other
            for bucket in range(int(box.left // _BUCKET), int(box.right // _BUCKET) + 1)
            for other in self._buckets.get(bucket, ())
        }
        return sum(
            _overlap(box, other) * other.cost
            for other in near
            if other.owner is None or other.owner != box.owner
        )


def _box(centre: Point, width: float, height: float, cost: float, owner: int | None) -> _Box:
    x, y = centre
    return _Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2, cost, owner)


def _overlap(a: _Box, b: _Box) -> float:
    across = min(a.right, b.right) - max(a.left, b.left)
    down = min(a.bottom, b.bottom) - max(a.top, b.top)
    return across * down if across > 0 and down > 0 else 0.0
