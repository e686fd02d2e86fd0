"""How large a video may be."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import TooLarge

FRAMES_PER_SECOND = 240
"""No screen is faster; a clip with more frames than this over its longest allowed time is a bomb."""

PIXELS_PER_SECOND = 3840 * 2160 * 60
"""Of the longest clip that is taken: 4K at 60 frames a second, which is watched about as fast as it plays."""
TRANSPARENT = 8
"""So many pixels counts one that may be transparent, as those of a GIF: measured, 54 million of them are watched in a
second, and 280 to 480 million of others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one video: bytes of the file, seconds of play, pixels (width x height) of one frame."""

    max_bytes: int
    max_seconds: float
    max_pixels: int

    @property
    def max_frames(self) -> int:
        """How many frames a clip may have, whatever its timestamps claim."""
        return max(1, round(self.max_seconds * FRAMES_PER_SECOND))

    @property
    def max_work(self) -> int:
        """How many pixels all frames of a clip may have together; those that may be transparent count more."""
        return max(self.max_pixels, round(self.max_seconds * PIXELS_PER_SECOND))

    def check_work(self, pixels: int, frames: int) -> None:
        """Refuse a clip whose frames have too many pixels together with ``TooLarge``."""
        if pixels > self.max_work:
            raise TooLarge(
                f"The video has {frames:,} frames with {pixels / 1e6:,.0f} million pixels together; at most "
                f"{self.max_work / 1e6:,.0f} million are taken (a pixel that may be transparent, as in a GIF, counts "
                f"{TRANSPARENT}). Record it in a smaller size or with fewer frames a second, or cut out the part that "
                "matters.",
                limit=self.max_work,
            )

    def check_bytes(self, size: int) -> None:
        """Refuse a file of too many bytes with ``TooLarge``."""
        if size > self.max_bytes:
            raise TooLarge(
                f"The video has {size:,} bytes; at most {self.max_bytes:,} are taken. Record it in a smaller size, "
                "or raise the setting max_video_bytes.",
                limit=self.max_bytes,
                setting="max_video_bytes",
            )

    def check_pixels(self, width: int, height: int) -> None:
        """Refuse a picture of too many pixels with ``TooLarge``."""
        if width * height > self.max_pixels:
            raise TooLarge(
                f"The video's frames are {width} x {height}; at most {self.max_pixels:,} pixels are taken. Record it "
                "in a smaller size.",
                limit=self.max_pixels,
            )

    def check_time(self, t_ms: float, frames: int) -> None:
        """Refuse a clip that goes on too long, by its clock or by its number of frames, with ``TooLarge``."""
        if t_ms > self.max_seconds * 1000 or frames > self.max_frames:
            raise TooLarge(
                f"The video is longer than {self.max_seconds:g} s. Cut out the part that matters, or raise the "
                "setting max_video_seconds.",
                limit=self.max_seconds,
                setting="max_video_seconds",
            )
