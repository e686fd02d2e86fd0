"""What a network said of pictures, kept as long as there is room: the least recently used goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy as np
    from numpy.typing import NDArray

Known = TypeVar("Known")


class Memory(Generic[Known]):
    """At most ``most`` answers by the pixels that they are about; may be shared between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, Known] = OrderedDict()

    def recall(self, pixels: NDArray[np.uint8], work_out: Callable[[], Known]) -> Known:
        """The answer for these pixels, worked out when it is not known."""
        # 64 bits that differ from process to process: nobody can draw two pictures that are taken for one.
        key = (*pixels.shape, hash(pixels.tobytes()))
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        known = work_out()
        with self._lock:
            self._known[key] = known
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return known

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known.clear()
