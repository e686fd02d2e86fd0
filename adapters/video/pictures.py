"""Pictures of what was seen, as files beside the answer."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2

from core.errors import StorageFailed

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.frame import Frame

_QUALITY = 82
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class Pictures:
    """Writes frames into one folder, each moment once.

    Args:
        directory: an existing folder.
        prefix: what each file name begins with.
        relative: the folder as the answer names it.

    """

    directory: Path
    prefix: str
    relative: str
    _names: dict[int, str] = field(default_factory=dict[int, str])

    def keep(self, frame: Frame, bgr: NDArray[np.uint8]) -> str:
        """Write the frame as JPEG; returns the path that an event names. Raises ``StorageFailed``."""
        name = self._names.get(frame.t_ms)
        if name is None:
            name = f"{self.prefix}{frame.t_ms:07d}.jpg"
            try:
                self._write(name, cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())
            except OSError as error:
                raise StorageFailed(
                    f"{self.directory} cannot be written: {error.strerror or error}. "
                    "Free some space, or check the folder's rights, and ask again."
                ) from None
            self._names[frame.t_ms] = name
        return f"{self.relative}/{name}" if self.relative else name

    def _write(self, name: str, data: bytes) -> None:
        """Write a file that is there whole or not at all, and through no link that lay in its place."""
        unfinished = self.directory / f".{name}.part"
        unfinished.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(unfinished, _NEW, 0o600), "wb") as file:
                file.write(data)
            unfinished.replace(self.directory / name)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    def drop_all_but(self, used: set[str]) -> None:
        """Delete the pictures that nothing names any more."""
        for t_ms, name in list(self._names.items()):
            if (f"{self.relative}/{name}" if self.relative else name) not in used:
                (self.directory / name).unlink(missing_ok=True)
                del self._names[t_ms]
