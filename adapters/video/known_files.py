"""What was found out about files, remembered as long as they do not change and this process lives."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")

_MOST: Final = 512
Identity = tuple[str, int, int, int, int, int]


def identity_of(path: Path) -> Identity | None:
    """What changes with the file's content, also when it is replaced or its time set back; ``None`` without a file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (str(path), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class KnownFiles(Generic[T]):
    """The newest 512 findings, each by its file's identity. Safe from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[Identity, T] = {}

    def get(self, identity: Identity) -> T | None:
        """What is known of that file."""
        return self._known.get(identity)

    def keep(self, identity: Identity, found: T) -> None:
        """Remember it, and forget the oldest where there are too many."""
        with self._guard:
            self._known[identity] = found
            if len(self._known) > _MOST:
                del self._known[next(iter(self._known))]
