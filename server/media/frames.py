"""The pictures of an interaction folder, by the names that events and evidence give them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from core.errors import StorageFailed

TYPES: Final = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}


def frame_file(folder: str, name: str) -> Path | None:
    """The file, if it is a picture of this job's own answer that really lies in its interaction folder."""
    if Path(name).suffix not in TYPES:
        return None
    path = Path(folder, "frames", name)
    # A link could lead anywhere, on the last step or on the way.
    return path if path.is_file() and path.resolve() == Path(folder).resolve() / "frames" / name else None


def read_frame(folder: str, name: str) -> bytes | None:
    """The bytes of a JPEG, which all are that Vaider takes itself. Raises ``StorageFailed``."""
    path = frame_file(folder, name) if name.endswith(".jpg") else None
    try:
        return path.read_bytes() if path is not None else None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read: {error.strerror}.") from None
