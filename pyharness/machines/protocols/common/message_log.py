"""A log of messages that grows at its end, for a constant price: the recorded messages of a channel are one.

A tuple that is copied at each message costs more the more it holds. Logs share their items: the longest one that was
made of a beginning appends in place, and another one that goes on from the same beginning makes a copy of its own. So
each log is a value that never changes, and reads, compares and hashes as the tuple of its items.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class MessageLog(Sequence[Any]):
    """The messages recorded of one channel, in order; equal to a tuple of the same items.

    >>> log = MessageLog("ab").appended("c")
    >>> log == ("a", "b", "c"), log.appended("d")[-1], len(log)
    (True, 'd', 3)
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._share(list(items))

    def _share(self, items: list[Any]) -> None:
        """Take all that is in a list now; elements that others append to it later are not of this log."""
        self._items, self._length = items, len(items)

    def appended(self, item: Any) -> MessageLog:
        """Return the log with one item more."""
        items = self._items if len(self._items) == self._length else self._items[: self._length]
        items.append(item)
        longer = MessageLog()
        longer._share(items)
        return longer

    def __add__(self, more: Iterable[Any]) -> MessageLog:
        """Return the log with more items."""
        longer = self
        for item in more:
            longer = longer.appended(item)
        return longer

    def __radd__(self, before: tuple[Any, ...]) -> tuple[Any, ...]:
        return before + tuple(self)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        return self._items[range(self._length)[index]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items[: self._length])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MessageLog):
            return self._length == other._length and (
                self._items is other._items or tuple(self) == tuple(other)
            )
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type[MessageLog], tuple[tuple[Any, ...]]]:
        return MessageLog, (tuple(self),)


Log: TypeAlias = "MessageLog | tuple[Any, ...]"
"""The recorded messages of a channel; those that were read from a trace are a tuple."""

EMPTY_LOG = MessageLog()
"""The empty log."""
