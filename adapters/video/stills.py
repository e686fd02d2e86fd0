"""Small copies of an analysis' pictures."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

from core.errors import InvalidRequest

if TYPE_CHECKING:
    from pathlib import Path

FORMATS: Final = ("JPEG", "PNG", "WEBP")
"""All that analyses write; other readers of Pillow's are not let near a file that may lie beside anybody's video."""
_MOST_PIXELS: Final = 64_000_000
_QUALITY: Final = 78


def load_still(path: Path, width: int) -> Any:
    """A picture as Pillow's ``Image`` in RGB, at most ``width`` pixels wide. Raises ``OSError``, ``InvalidRequest``."""
    from PIL import Image  # noqa: PLC0415 - the daemon starts without it

    with Image.open(path, formats=FORMATS) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise InvalidRequest(f"{path.name} has too many pixels to be made smaller; ask for it as it is.")
        height = max(1, round(picture.height * width / picture.width))
        # JPEG is decoded at an eighth to a half of its size where that is enough.
        picture.draft("RGB", (width, height))
        still = picture.convert("RGB")
    return still if still.width <= width else still.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)


def small_still(path: Path, width: int) -> bytes:
    """The same as JPEG."""
    file = io.BytesIO()
    load_still(path, width).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()
