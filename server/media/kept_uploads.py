"""Uploaded videos that stay for a while after their analysis, so that the clip can be watched beside its timeline."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

MARK: Final = ".kept"
"""Beside the video: that it is kept, and by its time since when. No uploaded file has such a name."""
_DAY: Final = 24 * 3600.0


class _Kept(NamedTuple):
    since: float
    folder: Path


class KeptUploads:
    """What of the folder of uploads is kept although no job needs it any more.

    Args:
        directory: the same as that of ``server.http.uploads.Uploads``: a folder for each upload.
        keep_days: how long each is kept after it was last asked about; 0: not at all.
        keep_bytes: of all that is kept, the oldest go first; 0: no limit.

    """

    def __init__(self, directory: Path, *, keep_days: float, keep_bytes: int) -> None:
        self._directory = directory
        self._keep_seconds = keep_days * _DAY
        self._keep_bytes = keep_bytes
        self._held: Counter[Path] = Counter()
        # Jobs end at the same time, each in a thread.
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def held(self, upload: Path) -> Generator[None]:
        """Meanwhile it is not removed to make room, for a job reads it."""
        self._held[upload.parent] += 1
        try:
            yield
        finally:
            self._held[upload.parent] -= 1

    def is_held(self, upload: Path) -> bool:
        """Whether a job reads it."""
        return self._held[upload.parent] > 0

    def keep(self, upload: Path) -> None:
        """Keep it from now on, as long as the settings say; what is too old or too much goes."""
        if not self._is_ours(upload):
            return
        with contextlib.suppress(OSError):
            (upload.parent / MARK).touch(mode=0o600)
        self.trim()

    def let_go(self, upload: Path) -> None:
        """Remove it, unless it is kept for an analysis before."""
        if self._is_ours(upload) and not (upload.parent / MARK).exists():
            self.discard(upload)

    def discard(self, upload: Path) -> bool:
        """Remove it in any case; tells whether it was there, and is one of ours."""
        if not (self._is_ours(upload) and upload.parent.is_dir()):
            return False
        shutil.rmtree(upload.parent, ignore_errors=True)
        return True

    def folders(self) -> set[Path]:
        """Those of all that is kept."""
        return {kept.folder for kept in self._all()}

    def trim(self) -> None:
        """Remove what is older than the settings say, and the oldest of what is more."""
        with self._lock:
            now = time.time()
            room = self._keep_bytes or float("inf")
            for kept in sorted(self._all(), reverse=True):
                room -= _size(kept.folder)
                is_old = now - kept.since >= self._keep_seconds
                if (is_old or room < 0) and not self._held[kept.folder]:
                    shutil.rmtree(kept.folder, ignore_errors=True)

    def _all(self) -> Iterator[_Kept]:
        if not self._directory.is_dir():
            return
        for folder in self._directory.iterdir():
            with contextlib.suppress(OSError):
                if not folder.is_symlink():
                    yield _Kept((folder / MARK).stat().st_mtime, folder)

    def _is_ours(self, upload: Path) -> bool:
        return upload.parent.parent == self._directory


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        # It may vanish meanwhile.
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total
