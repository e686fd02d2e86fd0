"""Remembers with which values an entry was offered, so that an option can be taken by its id alone."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SECONDS: Final = 600.0
_MOST: Final = 1000
NOT_FOUND: Final = "Cache entry not found. Proceed manually, or ask for the options again."


class Chosen(NamedTuple):
    """What an option's id stands for: an entry, and the values of its slots that are not as recorded."""

    cache_id: str
    values: Mapping[str, str]


@dataclass
class OfferBook:
    """Keeps offers for ten minutes, in memory only, because values may be private."""

    clock: Callable[[], float] = time.monotonic
    _offers: dict[str, tuple[float, Chosen]] = field(default_factory=dict[str, "tuple[float, Chosen]"])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, entry_id: str, values: Mapping[str, str]) -> str:
        """The id to offer it by: the entry's own unless it has other values now."""
        if not values:
            return entry_id
        offer = f"{entry_id}~{secrets.token_hex(4)}"
        with self._lock:
            now = self.clock()
            fresh = {key: kept for key, kept in self._offers.items() if now - kept[0] < _SECONDS}
            self._offers = dict(list(fresh.items())[-_MOST:]) | {offer: (now, Chosen(entry_id, dict(values)))}
        return offer

    def chosen(self, cache_id: str) -> Chosen:
        """What it stands for. Raises ``NotFound`` for an offer that is over."""
        if "~" not in cache_id:
            return Chosen(cache_id, {})
        with self._lock:
            kept = self._offers.get(cache_id)
        if kept is None or self.clock() - kept[0] >= _SECONDS:
            raise NotFound(NOT_FOUND)
        return kept[1]
