"""One segment while it is written: its film, playable at every moment, and its input log, kept when it may be."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import av
import numpy as np
from av.error import FFmpegError

from adapters.recording.encoder import FilmEncoder, Quality, last_picture, put_index_in_front
from adapters.recording.files import FilmFile, LogFile
from core.files import is_held
from core.recording.input_log import (
    Clicked,
    Dragged,
    Focused,
    InputEvent,
    InputLogHeader,
    Pressed,
    Scrolled,
    Typed,
    end_of_event,
    log_beside,
)
from core.recording.recordings import Segment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from core.screens import Box


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

    One without a picture is removed, and ``None`` returned.
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
    """Whether a film has been left as it was written, and no process writes it."""
    with film.open("rb") as file:
        if is_held(file.fileno()):
            return False
        head = file.read(1 << 16)
    return b"mvex" in head or b"moov" not in head


_BLACK: Final = 40
"""Luma; 16 is black, and noise of the encoder comes near it."""


def newest_shown(film: Path) -> int | None:
    """When the newest picture that is not black was taken, in milliseconds; looks at the film's last pictures only."""
    found: int | None = None
    source: Any
    with suppress(FFmpegError, OSError), av.open(str(film)) as source:
        stream: Any = source.streams.video[0]
        stream.thread_count = 1
        # Beyond the end: the last picture that needs none before it.
        source.seek(1 << 40, stream=stream, backward=True)
        last: Any = None
        for frame in source.decode(stream):
            last = frame
            if found is None and _is_shown(frame):
                found = round(frame.time * 1000)
        if last is not None and _is_shown(last):
            found = round(last.time * 1000)
    return found


def _is_shown(frame: Any) -> bool:
    plane: Any = frame.planes[0]
    luma = np.frombuffer(plane, np.uint8)
    return bool((luma > _BLACK).any())


_EARLY_SECONDS = 0.1
"""A key may be reported before the window's loss of the keyboard is."""


class MaskedInputLog:
    """Is filled by the thread that watches input, and emptied by the recorder's.

    Args:
        zero: the monotonic clock's second from which the times of events count.
        area: what is recorded; places of events are within it.

    """

    def __init__(self, zero: float, area: Box) -> None:
        self._zero, self._area = zero, area
        self._waiting: deque[InputEvent] = deque()
        self._lock = threading.Lock()
        self._focused: Focused | None = None
        """The window that is known to have the keyboard."""

    def add(self, event: InputEvent) -> None:
        """Take one."""
        with self._lock:
            self._waiting.append(event)

    def close(self) -> None:
        """Nothing is open."""

    def release(
        self,
        until: float,
        hidden: Callable[[float], list[Box]],
        keys_hidden: Callable[[float, float], bool],
    ) -> list[InputEvent]:
        """Those that ended before a moment, but for what was done in an excluded window; times as they came."""
        with self._lock:
            limit = (until - self._zero) * 1000
            # In the order in which they ended: one that is too new does not hold back the others.
            ready = [event for event in self._waiting if end_of_event(event) <= limit]
            self._waiting = deque(event for event in self._waiting if end_of_event(event) > limit)
        shown = [event for event in ready if not self._is_masked(event, hidden, keys_hidden)]
        for event in shown:
            if isinstance(event, Focused):
                self._focused = event
        return shown

    def forget(self) -> None:
        """Let go of all that was taken and is not released yet, and of the window that has the keyboard."""
        with self._lock:
            self._waiting.clear()
            self._focused = None

    def current(self) -> Focused | None:
        """The window that has had the keyboard since the last event that was released."""
        return self._focused

    def _is_masked(
        self,
        event: InputEvent,
        hidden: Callable[[float], list[Box]],
        keys_hidden: Callable[[float, float], bool],
    ) -> bool:
        begin, end = self._zero + event.t_ms / 1000, self._zero + end_of_event(event) / 1000
        match event:
            case Typed() | Pressed():
                return keys_hidden(begin - _EARLY_SECONDS, end + _EARLY_SECONDS)
            case Clicked() | Scrolled():
                places = [(event.x, event.y)]
            case Dragged():
                places = [(event.x, event.y), (event.to_x, event.to_y)]
            case _:
                return False
        boxes = hidden(begin)
        left, top = self._area.x, self._area.y
        return any(
            box.x <= x + left < box.x + box.width and box.y <= y + top < box.y + box.height
            for x, y in places
            for box in boxes
        )


def within(event: InputEvent, start_ms: int, scale: tuple[float, float], size: tuple[int, int]) -> InputEvent:
    """An event as a film has it that began so many milliseconds later, and whose pictures are smaller.

    Args:
        event: its times count from another moment, its places are those of the screen.
        start_ms: when the film began.
        scale: what a pixel of the screen is in the film, across and down.
        size: width and height of the film.

    """
    changes: dict[str, int] = {"t_ms": max(0, event.t_ms - start_ms)}
    if isinstance(event, Typed | Dragged | Scrolled):
        changes["until_ms"] = max(0, event.until_ms - start_ms)
    for names in (("x", "y"), ("to_x", "to_y")):
        for name, factor, most in zip(names, scale, size, strict=True):
            if hasattr(event, name):
                changes[name] = min(max(0, int(getattr(event, name) * factor)), most - 1)
    return event.model_copy(update=changes)
