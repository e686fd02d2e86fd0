"""Places that the mouse pointer has left: what was read while it stood there may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from adapters.video.frame import gap
from adapters.video.motion.changes import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adapters.video.frame import Box

_KEPT_MS: Final = 1200
_NEAR: Final = 32
"""Pixels: so far its tip may be from a place, and it hides a part of that."""


class LeftPlace(NamedTuple):
    """Where the pointer stood.

    Args:
        box: which part of the picture it hid.
        since_ms: when it came near that; 0 where it was not seen to come.

    """

    box: Box
    since_ms: int


class LeftPlaces:
    """Keeps the places for as long as something that comes to rest may have been read there."""

    def __init__(self) -> None:
        self._places: list[tuple[int, LeftPlace]] = []

    def add(self, now_ms: int, boxes: Iterable[Box], path: Sequence[tuple[int, tuple[int, int] | None]]) -> None:
        """Keep what the pointer, which took this path to a picture, has left in that."""
        self._places = [(left_ms, place) for left_ms, place in self._places if now_ms - left_ms < _KEPT_MS]
        self._places += [(now_ms, LeftPlace(box, _came_ms(box, path))) for box in boxes]

    def beside(self, box: Box) -> tuple[LeftPlace, ...]:
        """Those within a block of a place."""
        return tuple(place for _, place in self._places if max(gap(place.box, box)) <= BLOCK)


def _came_ms(box: Box, path: Sequence[tuple[int, tuple[int, int] | None]]) -> int:
    since_ms = 0
    for t_ms, tip in reversed(path):
        if tip is None:
            return 0
        if max(gap((*tip, 1, 1), box)) > _NEAR:
            return since_ms
        since_ms = t_ms
    return 0
