"""Watches all frames of a clip, from the first one on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.video.motion.activity import Activity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Frame
    from adapters.video.motion.activity import Settled, Unrest


class Watch:
    """Feed it every frame in order, then ``finish``; frames of another size than the first one's are left out."""

    def __init__(self) -> None:
        self._activity: Activity | None = None
        self._shape: tuple[int, ...] = ()

    def feed(self, frame: Frame) -> list[Settled]:
        """What has come to rest, oldest first."""
        if self._activity is None:
            self._activity, self._shape = Activity(frame), frame.luma.shape
            return []
        return list(self._activity.feed(frame)) if frame.luma.shape == self._shape else []

    def finish(self) -> list[Settled]:
        """What is still open when the clip ends."""
        return list(self._activity.finish()) if self._activity else []

    @property
    def is_empty(self) -> bool:
        """Whether there was no frame."""
        return self._activity is None

    @property
    def unrests(self) -> Sequence[Unrest]:
        """What has kept moving, and what still does."""
        return self._activity.all_unrests if self._activity else ()
