"""The folder of the continuous recording. Its files are its index: what is not there does not exist."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from datetime import UTC, datetime, timedelta
from typing import IO, TYPE_CHECKING, Final

from core.files import Folder, is_held, storage_failure
from core.recording.input_log import (
    LOG_SUFFIX,
    Dragged,
    InputEvent,
    InputLogHeader,
    Scrolled,
    Typed,
    line_of,
    log_beside,
)
from core.recording.recorder import SEGMENT_ID, Retention, segments_to_prune
from core.recording.recordings import Segment
from storage.recording_files import FilmIndex, read_film_index, read_input_log, whole_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.memories.clips import Cutter

FILM_SUFFIX: Final = ".mp4"
_SCRAP: Final = f".cut{FILM_SUFFIX}"
_LOOK: Final = timedelta(milliseconds=500)
"""A look at the screen takes no longer, on a machine that has much else to do."""
_FORM: Final = "%Y%m%dT%H%M%S.%f"


class SegmentFolder:
    """Implements ``core.recording.recordings.Segments``.

    Args:
        path: the folder, which may not be there yet.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple[int, int, int], FilmIndex | None]] = {}
        """By id: the file's number, size and time of change, and what was found in it."""

    def list(self) -> Sequence[Segment]:
        """All that can be played, oldest first."""
        try:
            names = sorted(os.listdir(self._path))  # noqa: PTH208 - names are asked for, no paths
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise storage_failure(self._path, error) from None
        ids = [name.removesuffix(FILM_SUFFIX) for name in names if name.endswith(FILM_SUFFIX)]
        with self._lock:
            self._known = {one: known for one, known in self._known.items() if one in set(ids)}
        return [segment for one in ids if (segment := self.find(one)) is not None]

    def find(self, segment_id: str) -> Segment | None:
        """The segment of that id; nothing else than an id ever becomes a path."""
        if not SEGMENT_ID.fullmatch(segment_id):
            return None
        film = self._path / f"{segment_id}{FILM_SUFFIX}"
        try:
            started_at = datetime.strptime(segment_id.removesuffix("Z"), _FORM).replace(tzinfo=UTC)
            status = film.lstat()
            index = self._index(segment_id, film, status) if stat.S_ISREG(status.st_mode) else None
            if index is None:
                return None
            log = log_beside(film)
            return Segment(
                id=segment_id,
                started_at=started_at,
                path=film,
                log=log if log.is_file() else None,
                duration_ms=max(0, index.duration_ms),
                width=index.width,
                height=index.height,
                size_bytes=status.st_size,
                complete=not (index.in_pieces and _is_written(film)),
            )
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise storage_failure(film, error) from None

    def open(self, segment_id: str) -> tuple[IO[bytes], int] | None:
        """The film of a segment, open, and how many bytes of it can be played now; ``None`` when it is gone."""
        if not SEGMENT_ID.fullmatch(segment_id):
            return None
        film = self._path / f"{segment_id}{FILM_SUFFIX}"
        try:
            file = os.fdopen(os.open(film, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and (size := whole_bytes(file)) > 0:
                return file, size
            file.close()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_failure(film, error) from None
        return None

    def remove(self, segment_ids: Sequence[str]) -> None:
        """Delete these segments, logs and all. Raises ``StorageFailed``."""
        for one in segment_ids:
            if SEGMENT_ID.fullmatch(one):
                film = self._path / f"{one}{FILM_SUFFIX}"
                try:
                    log_beside(film).unlink(missing_ok=True)
                    film.unlink(missing_ok=True)
                except OSError as error:
                    raise storage_failure(film, error) from None

    def prune(self, kept: Retention, now: datetime) -> Sequence[str]:
        """Delete what is more than may be kept; tells the ids. Raises ``StorageFailed``."""
        old = segments_to_prune(self.list(), kept, now)
        self.remove(old)
        return old

    def forget(self, since: datetime, until: datetime, cutter: Cutter) -> tuple[Sequence[str], Sequence[Segment]]:
        """Remove every picture that was taken, and all that was done, from one moment to another.

        What is left of a segment that is partly in it is encoded anew, into segments of its own. The segment that is
        being recorded must have been ended before.

        Half a second before it goes too: a picture bears the moment at which it began to be taken.

        Args:
            since: in UTC.
            until: in UTC.
            cutter: cuts films.

        Returns:
            the ids that are gone, or now of a shorter film, and the segments that were made.

        Raises:
            StorageFailed, InvalidVideo: a film cannot be cut; it is as it was, and those before it are done.

        """
        self._sweep()
        since -= _LOOK
        gone: list[str] = []
        made: list[Segment] = []
        for segment in self.list():
            if segment.started_at > until or segment.ended_at < since:
                continue
            gone.append(segment.id)
            made += self._cut(segment, since, until, cutter)
        if gone:
            self._sync()
        return gone, made

    def _cut(self, segment: Segment, since: datetime, until: datetime, cutter: Cutter) -> Sequence[Segment]:
        index = read_film_index(segment.path)
        times = index.times_ms if index is not None else []
        start, end = _ms(segment, since), _ms(segment, until)
        after = next((time for time in times if time > end), None)
        parts: list[tuple[str, Path, int, int]] = []
        try:
            if start > 0:
                parts.append(self._part(segment, 0, start - 1, cutter))
            if after is not None:
                parts.append(self._part(segment, after, max(segment.duration_ms, after + 1), cutter))
            # The later part first: a segment is never without what is to be kept of it.
            for one, scrap, begin, last in reversed(parts):
                film = self._path / f"{one}{FILM_SUFFIX}"
                self._log_of(segment, film, begin, last)
                scrap.replace(film)
        except OSError as error:
            raise storage_failure(segment.path, error) from None
        finally:
            for _, scrap, _, _ in parts:
                scrap.unlink(missing_ok=True)
        if segment.id not in [one for one, *_ in parts]:
            self.remove([segment.id])
        found = (self.find(one) for one, *_ in parts)
        return [part for part in found if part is not None]

    def _part(self, segment: Segment, begin: int, last: int, cutter: Cutter) -> tuple[str, Path, int, int]:
        started_at = segment.started_at + timedelta(milliseconds=begin)
        one = f"{started_at:%Y%m%dT%H%M%S}.{started_at.microsecond // 1000:03}Z"
        scrap = self._path / f".{one}{_SCRAP}"
        scrap.unlink(missing_ok=True)
        try:
            cutter.cut(segment.path, scrap, begin, last)
        except BaseException:
            scrap.unlink(missing_ok=True)
            raise
        scrap.chmod(0o600)
        return one, scrap, begin, last

    def _log_of(self, segment: Segment, film: Path, begin: int, last: int) -> None:
        """Write the log of a part, without events that began before it or ended after it."""
        if segment.log is None:
            return
        log = read_input_log(segment.path)
        if log is None:
            return
        started_at = segment.started_at + timedelta(milliseconds=begin)
        header = InputLogHeader(width=log.width, height=log.height, started_at=started_at)
        kept = [event for event in log.events if event.t_ms >= begin and _end(event) <= last]
        data = line_of(header) + b"".join(line_of(_earlier(event, begin)) for event in kept)
        with Folder.open(self._path) as folder:
            folder.replace(f"{film.stem}{LOG_SUFFIX}", data)

    def _index(self, one: str, film: Path, status: os.stat_result) -> FilmIndex | None:
        mark = (status.st_ino, status.st_size, status.st_mtime_ns)
        with self._lock:
            known = self._known.get(one)
        if known is None or known[0] != mark:
            index = read_film_index(film)
            if index is not None:
                index.times_ms = []
            known = (mark, index)
            with self._lock:
                self._known[one] = known
        return known[1]

    def _sweep(self) -> None:
        """Remove what a cut that was killed has left."""
        for scrap in self._path.glob(f".*{_SCRAP}"):
            with contextlib.suppress(OSError):
                scrap.unlink()

    def _sync(self) -> None:
        with contextlib.suppress(OSError), Folder.open(self._path) as folder:
            folder.sync()


def _is_written(film: Path) -> bool:
    """Whether a recorder has the film in its hands: it holds a lock, which goes with its process."""
    with film.open("rb") as file:
        return is_held(file.fileno())


def _ms(segment: Segment, moment: datetime) -> int:
    return round((moment - segment.started_at).total_seconds() * 1000)


def _end(event: InputEvent) -> int:
    return event.until_ms if isinstance(event, Typed | Dragged | Scrolled) else event.t_ms


def _earlier(event: InputEvent, by: int) -> InputEvent:
    changes = {"t_ms": event.t_ms - by}
    if isinstance(event, Typed | Dragged | Scrolled):
        changes["until_ms"] = event.until_ms - by
    return event.model_copy(update=changes)
