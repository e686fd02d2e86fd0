"""Videos that browsers can play: uploads that stay for a while, and copies in another container or codec."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import threading
import time
from collections import Counter
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from core.errors import InvalidVideo, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from adapters.video.video_files import VideoConverter


_HEAD: Final = 512
_OLD_MOV: Final = (b"moov", b"mdat", b"wide", b"free", b"skip")
"""What QuickTime files began with before they had to say that they are some."""
_EBML: Final = b"\x1a\x45\xdf\xa3"
_PLAYED: Final = {
    "video/mp4": frozenset({"h264", "av1", "vp9"}),
    "video/quicktime": frozenset({"h264"}),
    "video/webm": frozenset({"vp8", "vp9", "av1"}),
}
_SENT_AS: Final = {"video/quicktime": "video/mp4"}
"""The same boxes; browsers refuse the name."""
_COPY: Final = re.compile(r"clip\.(mp4|webm)")
_MOST_SECONDS: Final = 600.0
_MOST_BYTES: Final = 1024**3
_UNUSED_SECONDS: Final = 24 * 3600.0


def media_type(video: IO[bytes]) -> str | None:
    """What kind of video an open file is by its first bytes; ``None`` for all that is none. Raises ``OSError``."""
    video.seek(0)
    head = video.read(_HEAD)
    if head[4:8] in _OLD_MOV:
        return "video/quicktime"
    if head[4:8] == b"ftyp":
        return "video/quicktime" if head[8:12] == b"qt  " else "video/mp4"
    if head.startswith(_EBML):
        return "video/webm" if b"webm" in head[:64] else "video/x-matroska"
    if head.startswith(b"RIFF") and head[8:12] == b"AVI ":
        return "video/x-msvideo"
    return "image/gif" if head.startswith((b"GIF87a", b"GIF89a")) else None


def playable_type(kind: str, codec: str) -> str | None:
    """As what browsers play a video of this media type and codec, ``None`` where they do not."""
    return _SENT_AS.get(kind, kind) if codec in _PLAYED.get(kind, ()) else None


class PlayableCopies:
    """Copies that browsers play, each made once and kept as long as it is watched.

    Args:
        directory: of the copies of videos that lie elsewhere on this machine, at most 1 GiB; an upload's is beside it.
        convert: makes one.

    """

    def __init__(self, directory: Path, convert: VideoConverter) -> None:
        self._directory = directory
        self._convert = convert

    def copy(
        self, video: Path, sha256: str, *, uploaded: bool, raise_if_cancelled: Callable[[], None]
    ) -> tuple[Path, str]:
        """The copy of a video and its media type; blocks while it is made.

        Args:
            video: the file.
            sha256: of its content.
            uploaded: whether it is our own copy of an upload: what is made of it goes with it.
            raise_if_cancelled: called all the while; raises when the work shall stop.

        Raises:
            InvalidVideo: it cannot be converted, or not in ten minutes.
            StorageFailed: the copy cannot be written.

        """
        folder = video.parent / ".playable" if uploaded else self._directory / sha256[:32]
        copy = _copy_in(folder)
        if copy is None:
            copy = self._make(video, folder, raise_if_cancelled)
        with contextlib.suppress(OSError):
            folder.touch()  # when it was last watched
        return copy, f"video/{copy.suffix[1:]}"

    def sweep(self) -> None:
        """Remove the copies not watched for a day, the incomplete ones, and the oldest beyond the limit."""
        room = _MOST_BYTES
        now = time.time()
        for used, folder in self._newest_first():
            copy = _copy_in(folder)
            with contextlib.suppress(OSError):
                room -= copy.stat().st_size if copy else 0
            is_left = folder.name.startswith(".") and now - used > 2 * _MOST_SECONDS
            if now - used > _UNUSED_SECONDS or room < 0 or is_left:
                shutil.rmtree(folder, ignore_errors=True)

    def _make(self, video: Path, folder: Path, raise_if_cancelled: Callable[[], None]) -> Path:
        unfinished = folder.parent / f".{secrets.token_hex(8)}"
        deadline = time.monotonic() + _MOST_SECONDS

        def tick() -> None:
            raise_if_cancelled()
            if time.monotonic() > deadline:
                raise InvalidVideo(f"The video could not be made playable within {_MOST_SECONDS:g} s; save it as mp4.")

        try:
            self.sweep()
            unfinished.mkdir(mode=0o700, parents=True)
            self._convert(video, unfinished, tick)
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
        except OSError as error:
            raise StorageFailed(f"No playable copy can be written: {error.strerror}. Free some space.") from None
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        copy = _copy_in(folder)
        if copy is None:
            raise InvalidVideo("The video could not be made playable; save it as mp4.")
        return copy

    def _newest_first(self) -> list[tuple[float, Path]]:
        if not self._directory.is_dir():
            return []
        found: list[tuple[float, Path]] = []
        for folder in self._directory.iterdir():
            with contextlib.suppress(OSError):
                found.append((folder.stat().st_mtime, folder))
        return sorted(found, reverse=True)


def _copy_in(folder: Path) -> Path | None:
    if not folder.is_dir() or folder.is_symlink():
        return None
    return next((path for path in folder.iterdir() if _COPY.fullmatch(path.name)), None)


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
