"""Small copies of screenshots, as a report holds them."""

from __future__ import annotations

from typing import NamedTuple


class Thumbnail(NamedTuple):
    """A WebP file, and the size in pixels of the picture that it was made of."""

    webp: bytes
    width: int
    height: int
