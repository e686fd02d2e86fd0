"""Records a demonstration: what a display shows, what is said, and what is done, until it is stopped."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from av.error import FFmpegError

from adapters.desktop.accessibility.setup import session_bus
from adapters.recording.encoder import FilmEncoder, last_picture, put_index_in_front
from adapters.recording.files import FilmFile
from adapters.recording.microphone import DEFAULT, NONE, Microphone, MicrophoneUnavailable
from adapters.recording.source import Source, display_to_record
from core.errors import DesktopLost, InvalidPath, InvalidRequest, StorageFailed
from core.recording.input_log import InputLogHeader, log_beside
from core.recording.recordings import MAX_BYTES, MAX_SECONDS, Recording, RecordingState, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from core.screens import Picture

FPS: Final = 10.0
_STILL_MS: Final = 400
"""A picture that stays is written again after this: a sudden end loses three of these, and what waits for sound."""
_REPORT_SECONDS: Final = 0.25
_SILENT_SECONDS: Final = 5.0
"""Without even silence from the microphone."""


class DemonstrationRecorder:
    """Records in its own process, one recording at a time.

    Args:
        display: ``current`` or ``:N``, and a monitor of it as in ``current@HDMI-1``; without one, all of them.
        microphone: ``default``, ``none``, or a device's name.
        seconds: to stop after; ``None`` for the limit alone.
        max_seconds: the limits: at the first of them it stops by itself and says so.
        max_bytes: see ``max_seconds``.
        fps: how often the display is looked at; a look that shows nothing new makes no picture.
        environment: of the user's session.

    Raises:
        InvalidRequest: the display is a private one, or a number is out of range.

    """

    def __init__(
        self,
        *,
        display: str = "current",
        microphone: str = DEFAULT,
        seconds: float | None = None,
        max_seconds: float = MAX_SECONDS,
        max_bytes: int = MAX_BYTES,
        fps: float = FPS,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        if seconds is not None and not 0 < seconds <= max_seconds:
            raise InvalidRequest(
                f"A recording cannot have {seconds:g} seconds: choose more than 0 and at most {max_seconds:g}."
            )
        self._display, self._microphone = display, microphone
        self._seconds, self._max_seconds, self._max_bytes = seconds, max_seconds, max_bytes
        self._fps, self._environment = fps, environment

    def record(self, path: Path, stop: threading.Event, report: Callable[[RecordingState], None]) -> Recording:
        """Record until ``stop`` is set, the user presses Esc on the display, or a limit is reached.

        Whatever happens the border is gone when this ends, however it ends, and what was recorded by then is kept in a
        file that can be played; its input log is beside it.

        Args:
            path: a new file, ``*.mp4``.
            stop: ends the recording; Esc sets it too.
            report: called several times a second on the caller's thread.

        Raises:
            InvalidRequest: the name of the file does not end in ``.mp4``, or the display is a private one.
            InvalidPath: the file is there already, or its folder is not.
            DesktopUnavailable: there is no such display, or it cannot be recorded.
            DesktopLost: it has gone away before anything was recorded.
            StorageFailed: nothing could be written.

        """
        log = log_beside(path)
        _check_new(path, log)
        display, monitor = display_to_record(self._display, self._environment)
        escaped = threading.Event()

        def escape() -> None:
            escaped.set()
            stop.set()

        with Source(display, monitor, escape, session=session_bus(self._environment)) as source:
            heard, lack = self._listen()
            try:
                file = FilmFile(path)
            except OSError as error:
                if heard is not None:
                    heard.close()
                raise StorageFailed(f"{path} cannot be written: {error.strerror}. Choose another place.") from None
            take = _Take(display, source, file, heard, self._fps)
            take.warnings += lack
            try:
                by = take.run(log, stop, report, self._reached)
                by = "escape" if escaped.is_set() and by == "interrupt" else by
            except BaseException:
                take.end(interrupted=False)
                _finish(path, take, whole=True)
                raise
            take.end(interrupted=by == "interrupt")
        return self._ended(path, log, take, by)

    def _listen(self) -> tuple[Microphone | None, list[str]]:
        if self._microphone == NONE:
            return None, []
        try:
            return Microphone(self._microphone, self._environment), []
        except MicrophoneUnavailable as error:
            which = "" if self._microphone == DEFAULT else f" {self._microphone[:100]}"
            return None, [f"Recording without sound: the microphone{which} cannot be used ({error})."]

    def _reached(self, elapsed_ms: float, file: FilmFile) -> tuple[StoppedBy, str] | None:
        """The limit that is reached, and what to say of it."""
        # One look sooner: the last picture has its time as well.
        frame_ms = 1000 / self._fps
        if self._seconds is not None and elapsed_ms + frame_ms >= self._seconds * 1000:
            return "time", ""
        if elapsed_ms + 2 * frame_ms >= self._max_seconds * 1000:
            minutes = f"{self._max_seconds / 60:g} minutes" if self._max_seconds >= 60 else f"{self._max_seconds:g} s"  # noqa: PLR2004 - a minute
            return "limit", f"The recording has stopped by itself: it reached {minutes}, the most it may have."
        # So many pieces may still be on their way.
        if file.size + 4 * file.largest >= self._max_bytes:
            size = f"{self._max_bytes / 1024**3:g} GB" if self._max_bytes >= 1024**3 else f"{self._max_bytes} bytes"
            return "limit", f"The recording has stopped by itself: it reached {size}, the most it may have."
        return None

    def _ended(self, path: Path, log: Path, take: _Take, by: StoppedBy) -> Recording:
        duration_ms = _finish(path, take, whole=by not in {"disk", "failure"})
        if duration_ms is None:
            path.unlink(missing_ok=True)
            log.unlink(missing_ok=True)
            if by == "display lost":
                raise DesktopLost(take.warnings[-1])
            raise StorageFailed(f"Nothing could be recorded to {path}: {take.warnings[-1] if take.warnings else by}")
        return Recording(
            path=path,
            log=log if take.logs else None,
            duration_ms=duration_ms,
            size_bytes=path.stat().st_size,
            width=take.width,
            height=take.height,
            fps=self._fps,
            microphone=self._microphone if take.sounds else None,
            stopped_by=by,
            warnings=tuple(take.warnings),
        )


class _Take:
    """One recording while it goes on. ``end`` it, whatever ``run`` does."""

    def __init__(self, display: str, source: Source, file: FilmFile, microphone: Microphone | None, fps: float) -> None:
        self._display, self._source, self.file, self._heard, self._fps = display, source, file, microphone, fps
        self.sounds = microphone is not None
        self.logs = False
        self.warnings: list[str] = source.warnings
        self._encoder: FilmEncoder | None = None
        self._zero = self._reported = self._heard_at = 0.0
        self._seen = b""
        self._dead = False
        self.end_ms = 0
        """When it ended."""
        self.width = self.height = 0

    def run(
        self,
        log: Path,
        stop: threading.Event,
        report: Callable[[RecordingState], None],
        reached: Callable[[float, FilmFile], tuple[StoppedBy, str] | None],
    ) -> StoppedBy:
        """Record until something stops it."""
        try:
            self._begin(self._source.look(), log)
            looks = 1
            while True:
                self._report_state(report)
                # A look that comes late is not made up for.
                looks = max(looks, int((time.monotonic() - self._zero) * self._fps) + 1)
                if stop.wait(max(0.0, self._zero + looks / self._fps - time.monotonic())):
                    return "interrupt"
                self._add(self._source.look())
                if self.file.failure is not None:
                    self.warnings.append(f"The recording has stopped: {self.file.failure.strerror}.")
                    return "disk"
                if (limit := reached(self.end_ms, self.file)) is not None:
                    self.warnings += [limit[1]] if limit[1] else []
                    return limit[0]
        except DesktopLost as error:
            self.warnings.append(f"The recording has stopped: {error.message}")
            return "display lost"
        except FFmpegError as error:
            self.warnings.append(f"The recording has stopped: it cannot be encoded ({type(error).__name__}).")
            return "failure"

    def end(self, *, interrupted: bool) -> None:
        """Take the border away, and put everything in the file."""
        self._source.hide_border()
        if self._heard is not None:
            self._heard.close()
        if (lack := self._source.end_watch(interrupted=interrupted)) is not None:
            self.warnings.append(lack)
        if self._encoder is not None:
            with suppress(FFmpegError):
                self._hear()
                if self.end_ms - self._encoder.last_ms > 1000 / self._fps:
                    self._encoder.repeat(self.end_ms)
            self._encoder.close()
        self.file.close()

    def _begin(self, first: Picture, log: Path) -> None:
        pixels = self._source.pixels(first)
        size = (pixels.shape[1], pixels.shape[0])
        self._encoder = FilmEncoder(self.file, size, self._fps, sound=self.sounds)
        self.width, self.height = self._encoder.width, self._encoder.height
        self._zero, self._seen = first.taken, first.bgra
        self._encoder.add(pixels, 0)
        started = datetime.now(UTC) - timedelta(seconds=time.monotonic() - self._zero)
        header = InputLogHeader(width=self.width, height=self.height, started_at=started)
        self.logs = self._source.begin(self._zero, log, header)

    def _add(self, picture: Picture) -> None:
        assert self._encoder is not None  # noqa: S101 - it has begun
        self.end_ms = now = round((picture.taken - self._zero) * 1000)
        if picture.bgra != self._seen:
            self._seen = picture.bgra
            self._encoder.add(self._source.pixels(picture), now)
        elif now - self._encoder.last_ms >= _STILL_MS:
            self._encoder.repeat(now)
        self._hear()

    def _hear(self) -> None:
        if self._heard is None or self._encoder is None:
            return
        for heard, samples in self._heard.take():
            self._heard_at = heard
            self._encoder.add_sound(samples, (heard - self._zero) * 1000)
        why = self._heard.failure
        if why is None and time.monotonic() - max(self._heard_at, self._zero) > _SILENT_SECONDS:
            why = "the microphone hangs"
        if why is not None and not self._dead:
            self._dead = True
            at = max(0.0, self._heard_at - self._zero)
            self.warnings.append(f"The sound ends, or has a gap, after {at:.0f} s: {why}.")

    def _report_state(self, _report_state: Callable[[RecordingState], None]) -> None:
        now = time.monotonic()
        if now - self._reported < _REPORT_SECONDS:
            return
        self._reported = now
        _report_state(
            RecordingState(
                display=self._display,
                elapsed_ms=self.end_ms,
                size_bytes=self.file.size,
                width=self.width,
                height=self.height,
                escape_stops=self._source.escape_stops,
                microphone=self._heard.device if self._heard and not self._dead else None,
                warnings=tuple(self.warnings),
            )
        )


def _check_new(path: Path, log: Path) -> None:
    if path.suffix.lower() != ".mp4":
        raise InvalidRequest(f"A recording is an mp4: give a name that ends in .mp4, not {path.name[:100]!r}.")
    if not path.parent.is_dir():
        raise InvalidPath(f"There is no folder {path.parent} to record into: make it first.")
    for one in (path, log):
        if one.is_symlink() or one.exists():
            raise InvalidPath(f"{one} is there already: record to another name, or move it away.")


def _finish(path: Path, take: _Take, *, whole: bool) -> int | None:
    """Put the index in front; returns how long the film is, ``None`` when there is none.

    A film that could not be written to its end lasts until its last picture.
    """
    last = last_picture(path)
    if last is None:
        return None
    frame_ms = 1
    end = max(take.end_ms, last + frame_ms) if whole else last + frame_ms
    with suppress(OSError, FFmpegError):
        # Where this fails the film stays in pieces, and can be played all the same.
        put_index_in_front(path, last, end)
    return end
