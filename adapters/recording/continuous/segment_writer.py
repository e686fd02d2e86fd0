"""One segment while it is written: its film, which can be played at every moment, and its input log."""

from __future__ import annotations

import fcntl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from av.error import FFmpegError

from adapters.recording.encoder import FilmEncoder, Quality, last_picture, put_index_in_front
from adapters.recording.film_file import FilmFile
from adapters.recording.log_file import LogFile
from core.recording.input_log_lines import InputLogHeader, log_beside
from core.recording.segments import Segment

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from core.recording.input_log import InputEvent

QUALITY: Final = Quality(
    crf=28,
    preset="veryfast",
    key_pictures=40,
    threads=1,
    options={"x264-params": "rc-lookahead=0:ref=1:bframes=0:sync-lookahead=0"},
)
"""Small and cheap; a picture is found within 40 others."""
_STILL_MS: Final = 2000
"""A picture that stays is written again after this."""
_HELD: Final = 2
"""So many pictures the encoder and the muxer hold back until the next ones come: what is new shall not wait there."""


def segment_id(moment: datetime) -> str:
    """The id of a segment that began then, in UTC: ``20261121T191317.250Z``."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y%m%dT%H%M%S}.{moment.microsecond // 1000:03}Z"


class SegmentWriter:
    """Used by one thread.

    Args:
        folder: of the recording.
        started_at: when the first picture was taken, in UTC.
        size: width and height of the film, even numbers.
        fps: how often there may be a picture.
        logs: whether there is an input log.

    Raises:
        OSError: the folder cannot be written.

    """

    def __init__(self, folder: Path, started_at: datetime, size: tuple[int, int], fps: float, *, logs: bool) -> None:
        self.started_at = started_at.replace(microsecond=started_at.microsecond // 1000 * 1000)
        while (path := folder / f"{segment_id(self.started_at)}.mp4").exists():
            # The clock has been put back.
            self.started_at += timedelta(milliseconds=1)
        self.id = path.stem
        self.path, self._log_path = path, log_beside(path)
        self.file = FilmFile(path)
        self._encoder = FilmEncoder(self.file, size, fps, sound=False, quality=QUALITY, scaled=True)
        self._log: LogFile | None = None
        try:
            if logs:
                header = InputLogHeader(width=size[0], height=size[1], started_at=self.started_at)
                self._log = LogFile(self._log_path, header)
        except OSError:
            self.file.close()
            path.unlink()
            raise
        self._held = 0
        self.given = 0
        """How many pictures it was given."""
        self.end_ms = 0
        """When its last look was."""

    def add(self, picture: NDArray[np.uint8], t_ms: int) -> None:
        """A picture that shows something new. Raises ``FFmpegError``."""
        self._encoder.add(picture, t_ms)
        self._held, self.end_ms = _HELD, t_ms
        self.given += 1

    def stay(self, t_ms: int) -> bool:
        """The last one is still the one that is seen; tells whether it was written again. Raises ``FFmpegError``."""
        self.end_ms = t_ms
        due = self._held > 0 or t_ms - self._encoder.last_ms >= _STILL_MS
        if due:
            self._encoder.repeat(t_ms)
            self._held = max(0, self._held - 1)
            self.given += 1
        return due

    @property
    def written(self) -> int:
        """How many of them are in the file."""
        return max(0, self.given - _HELD)

    def log(self, event: InputEvent) -> None:
        """Something that was done, its times and places those of the film. Raises ``OSError``."""
        if self._log is not None:
            self._log.add(event)

    def as_segment(self) -> Segment:
        """As it is now."""
        return Segment(
            id=self.id,
            started_at=self.started_at,
            path=self.path,
            log=None if self._log is None else self._log_path,
            duration_ms=max(0, self.end_ms),
            width=self._encoder.width,
            height=self._encoder.height,
            size_bytes=self.file.size,
            complete=False,
        )

    def close(self) -> Segment | None:
        """Write what is still inside, and put the index in front; ``None`` when there is no picture in it."""
        with suppress(FFmpegError):
            if self.end_ms > self._encoder.last_ms >= 0:
                self._encoder.repeat(self.end_ms)
        self._encoder.close()
        self.file.close()
        if self._log is not None:
            with suppress(OSError):
                self._log.close()
        whole = finish(self.path)
        if whole is None:
            self._log_path.unlink(missing_ok=True)
            return None
        end_ms, size = whole
        return self.as_segment().model_copy(update={"duration_ms": end_ms, "size_bytes": size, "complete": True})


def finish(film: Path) -> tuple[int, int] | None:
    """Put the index of a film of pieces in front, if there is room; its milliseconds and bytes.

    One without a picture is removed, and ``None`` told.
    """
    last = last_picture(film)
    if last is None:
        film.unlink(missing_ok=True)
        return None
    end = last + 1
    with suppress(OSError, FFmpegError):
        put_index_in_front(film, last, end)
    return end, film.stat().st_size


def mend(folder: Path) -> None:
    """Finish what a recorder that was killed has left: its films get their index in front, its scraps go."""
    for scrap in folder.glob(".*.whole.mp4"):
        with suppress(OSError):
            scrap.unlink()
    for film in sorted(folder.glob("*.mp4")):
        with suppress(OSError):
            if _is_in_pieces(film) and finish(film) is None:
                log_beside(film).unlink(missing_ok=True)
    for log in folder.glob("*.input.jsonl"):
        with suppress(OSError):
            if not log.with_name(log.name.removesuffix(".input.jsonl") + ".mp4").exists():
                log.unlink()


def _is_in_pieces(film: Path) -> bool:
    """Whether a film has been left as it was written, and nobody writes it."""
    with film.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        head = file.read(1 << 16)
    return b"mvex" in head or b"moov" not in head
