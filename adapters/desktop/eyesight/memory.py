"""What was worked out before, kept as long as there is room: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from concurrent.futures import Executor

Key = TypeVar("Key", bound="Hashable")
Known = TypeVar("Known")
Given = TypeVar("Given")


class Memory(Generic[Key, Known]):
    """At most ``most`` values by their keys."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[Key, Known] = OrderedDict()

    def recall(self, key: Key) -> Known | None:
        """The value, which stays all the longer for it."""
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
        return known

    def keep(self, key: Key, known: Known) -> None:
        """Keep a value, and forget the one that was not asked for the longest."""
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > self._most:
            self._known.popitem(last=False)

    def work_out(
        self, asked: Iterable[tuple[Key, Given]], work: Callable[[Given], Known], workers: Executor
    ) -> dict[Key, Known]:
        """The value of each key; what is not known is worked out from what is given with it, by the workers."""
        given = dict(asked)
        values = {key: self.recall(key) for key in given}
        missing = [key for key, value in values.items() if value is None]
        for key, value in zip(missing, workers.map(work, [given[key] for key in missing]), strict=True):
            values[key] = value
            self.keep(key, value)
        return {key: value for key, value in values.items() if value is not None}
