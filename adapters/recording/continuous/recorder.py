"""Records a display all day: looks twice a second, blacks out what is excluded, and writes segments."""

from __future__ import annotations

import ctypes
import time
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from av.error import FFmpegError

from adapters.desktop.accessibility.setup import session_bus
from adapters.recording.continuous.lock_watch import LockWatch
from adapters.recording.continuous.segment_writer import MaskedInputLog, SegmentWriter, mend, newest_shown, within
from adapters.recording.continuous.window_watch import WindowWatch
from adapters.recording.source import Source, display_to_record, monitors
from core.errors import DesktopLost, DesktopUnavailable
from core.recording.recorder import RecorderOptions, RecorderPhase, RecorderStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from adapters.recording.continuous.control import Control
    from core.screens import Box, Picture

_RETRY_SECONDS: Final = 2.0
_CLOCKS_SECONDS: Final = 2.0
"""How far the clock on the wall may leave the one that only counts, before a new segment begins."""
_LATE_SECONDS: Final = 30.0
"""How much longer a segment may be, so that it does not end in the middle of something."""
_QUIET_SECONDS: Final = 3.0
_PROOF_SECONDS: Final = 20.0
_READABLE: Final = 0.8
"""Of its size: made smaller than that, text of usual size is lost (measured by `bench recorder`)."""
_MONITORS_SECONDS: Final = 5.0
_GAP_LOOKS: Final = 2.5


@dataclass(slots=True)
class _PendingFrame:
    """A look that waits for the next one: a window in it may turn out to be one that must not be seen."""

    picture: Picture
    before: float
    """When what was before it was known."""


class _Ended(Exception):
    """The display is to be opened anew: it has changed."""


class ContinuousRecorder:
    """Runs in a process of its own, on one thread.

    Args:
        options: what is recorded, and how.
        folder: for the segments; it is there.
        environment: of the user's session.
        control: gives commands, and gets reports.

    """

    def __init__(
        self, options: RecorderOptions, folder: Path, environment: Mapping[str, str], control: Control
    ) -> None:
        self._options, self._folder, self._environment, self._control = options, folder, environment, control
        self._status = RecorderStatus(phase=RecorderPhase.STARTING)
        self._writer: SegmentWriter | None = None
        self._full: str | None = None

    def run(self) -> None:
        """Record until the control says that it is over; a display that goes away is waited for."""
        mend(self._folder)
        try:
            while not self._control.ended:
                try:
                    self._record()
                except _Ended:
                    continue
                except (DesktopUnavailable, DesktopLost) as error:
                    self.close_segment()
                    self.report_phase(RecorderPhase.FAILED, error.message)
                    self._control.wait(_RETRY_SECONDS)
                except (OSError, FFmpegError) as error:
                    self.close_segment()
                    why = error.strerror or type(error).__name__
                    self._full = f"The recording cannot be written ({why}): make room, and start it again."
                    self.report_phase(RecorderPhase.FAILED, self._full)
                    return
        finally:
            self.close_segment()

    def _record(self) -> None:
        display, monitor = display_to_record(self._options.display, self._environment)
        with ExitStack() as stack:
            windows = WindowWatch(display, self._options.exclusions)
            stack.callback(windows.close)
            locks = LockWatch(display, self._environment)
            stack.callback(locks.close)
            options = self._options
            source = stack.enter_context(
                Source(
                    display,
                    monitor,
                    _nothing,
                    border=options.border,
                    watched=options.log,
                    names=windows.names,
                    session=session_bus(self._environment),
                    may_ask=windows.may_ask,
                )
            )
            stack.callback(self.close_segment)
            session = _Session(self, (display, monitor), source, windows, locks)
            self._status = self._status.model_copy(update={"display": display, "warnings": tuple(source.warnings)})
            session.run()

    def report_phase(self, phase: RecorderPhase, reason: str | None = None, **changes: Any) -> None:
        """Tell how it is, with what has changed."""
        writer = self._writer
        self._status = self._status.model_copy(
            update={
                "phase": phase,
                "reason": reason,
                "segment": None if writer is None else writer.id,
                **({} if phase is RecorderPhase.RECORDING else {"veiled": False}),
                **changes,
            }
        )
        self._control.report(self._status)

    def close_segment(self) -> None:
        """End the one that is being recorded, if there is one."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        if (segment := writer.close()) is not None:
            self._control.news(closed=segment)
        _tidy_memory()

    @property
    def status(self) -> RecorderStatus:
        """As it was last reported."""
        return self._status

    @property
    def writer(self) -> SegmentWriter | None:
        """Of the segment that is being recorded."""
        return self._writer

    def begin(self, writer: SegmentWriter) -> None:
        """Another segment has begun."""
        self._writer = writer

    @property
    def parts(self) -> tuple[RecorderOptions, Path, Control]:
        """What it was made of."""
        return self._options, self._folder, self._control


class _Session:
    """One display while it stays as it is."""

    def __init__(
        self,
        recorder: ContinuousRecorder,
        place: tuple[str, str | None],
        source: Source,
        windows: WindowWatch,
        locks: LockWatch,
    ) -> None:
        self._recorder, self._source, self._windows, self._locks = recorder, source, windows, locks
        self._options, self._folder, self._control = recorder.parts
        self._display, monitor = place
        self._screens = monitors(self._display)
        self._screens_due = time.monotonic() + _MONITORS_SECONDS
        self._zero = time.monotonic()
        self._start_ms = 0
        self._clocks = 0.0
        self._held: _PendingFrame | None = None
        self._written: NDArray[np.uint8] | None = None
        self._seen: tuple[bytes, tuple[Box, ...]] | None = None
        self._last = self._zero
        self._proof_due = self._zero
        self._forgotten_ms = 0
        self._announced = ""
        self._pending: deque[int] = deque()
        """Pictures that show something new and are not in the file yet, by their number."""
        area = source.area
        inside = [box for box in self._screens.values() if box.overlap(area)] or [area]
        largest = max(box.width for box in inside), max(box.height for box in inside)
        if monitor is not None:
            largest = area.width, area.height
        self._size = self._options.fitted((area.width, area.height), largest)
        self._scale = self._size[0] / area.width, self._size[1] / area.height
        if min(self._scale) < _READABLE:
            sizes = f"{area.width}x{area.height} as {self._size[0]}x{self._size[1]}"
            source.warnings.append(
                f"The film is smaller than the display ({sizes}): small words in it cannot be read. With "
                'record_size = "native" they can, for a little more.'
            )
        self._log = MaskedInputLog(self._zero, area)
        self._source.log_to(self._zero, self._log)

    def run(self) -> None:
        """Look until the display changes, or it is over."""
        due = time.monotonic()
        while not self._control.ended:
            self._obey()
            reason = self._locks.reason(self._source.area, self._windows.tops())
            if self._control.paused or reason is not None:
                self._rest(reason)
            else:
                self._source.show_border()
                self._look()
            due = max(due + 1 / self._options.fps, time.monotonic())
            while (now := time.monotonic()) < due and not self._control.called:
                self._windows.wait(min(due, now + 0.1))

    def _obey(self) -> None:
        if self._control.take_rotation():
            # Something is to be forgotten: neither what is still in hand nor the window's title is written again.
            self._end_segment()
            self._log.forget()
            self._forgotten_ms = round((time.monotonic() - self._zero) * 1000)
            self._control.done()

    def _rest(self, reason: str | None) -> None:
        """Nothing is looked at."""
        self._source.hide_border()
        self._end_segment()
        self._log.release(float("inf"), lambda _: [], lambda _begin, _end: True)
        self._last = time.monotonic()
        self._windows.look()
        if reason is None:
            self._recorder.report_phase(RecorderPhase.PAUSED, "It was paused: `vaider record resume` goes on.")
        else:
            self._recorder.report_phase(RecorderPhase.LOCKED, f"{reason} It goes on by itself.")

    def _end_segment(self) -> None:
        # What is held is not known to be harmless yet, and is let go.
        self._held = None
        self._end_film()

    def _end_film(self) -> None:
        self._seen = self._written = None
        self._pending.clear()
        self._recorder.close_segment()

    def _look(self) -> None:
        before = time.monotonic()
        trusted = self._windows.look()
        if self._held is not None and trusted:
            self._release(self._held)
        held, self._held = self._held, None
        picture = self._source.look()
        self._check_monitors()
        if not (self._windows.look() and trusted):
            status = self._recorder.status
            self._recorder.report_phase(
                RecorderPhase.RECORDING, dropped=status.dropped + 1 + (held is not None and not trusted)
            )
            return
        self._held = _PendingFrame(picture, before)
        self._recorder.report_phase(RecorderPhase.RECORDING)

    def _check_monitors(self) -> None:
        now = time.monotonic()
        changed = self._source.changed
        if now > self._screens_due and not changed:
            self._screens_due = now + _MONITORS_SECONDS
            changed = monitors(self._display) != self._screens
        if changed:
            self._end_segment()
            raise _Ended

    def _release(self, held: _PendingFrame) -> None:
        """Write a look, of which everything is known by now."""
        status = self._recorder.status
        self._rotate_if_due(held.picture.taken)
        writer = self._recorder.writer
        hidden = tuple(sorted(set(self._windows.hidden(held.before)), key=lambda box: (box.x, box.y, box.width)))
        masks = any(box.overlap(self._source.area) for box in hidden)
        gap = held.picture.taken - self._last > _GAP_LOOKS / self._options.fps
        self._last = held.picture.taken
        seen = (held.picture.bgra, hidden)
        if writer is None or seen != self._seen:
            pixels = self._source.pixels(held.picture, hidden)
            new = writer is None or self._written is None or not np.array_equal(pixels, self._written)
            self._seen, self._written = seen, pixels
        else:
            new, pixels = False, self._written
        if writer is None:
            writer = self._begin(held.picture.taken)
        t_ms = round((held.picture.taken - self._zero) * 1000) - self._start_ms
        wrote = new
        if new and pixels is not None:
            writer.add(pixels, t_ms)
        else:
            wrote = writer.stay(t_ms)
        if writer.file.failure is not None:
            raise writer.file.failure
        logged = self._write_log(writer, held.before)
        self._announce(writer, new=new, moved=logged)
        self._recorder.report_phase(
            RecorderPhase.RECORDING,
            frames=status.frames + wrote,
            masked=status.masked + (wrote and masks),
            veiled=masks,
            gaps=status.gaps + gap,
            width=self._size[0],
            height=self._size[1],
            **self._proof(writer),
        )

    def _announce(self, writer: SegmentWriter, *, new: bool, moved: bool) -> None:
        """Tell of a picture once it is in the file; a first one changes nothing."""
        if writer.id != self._announced and writer.written > 0:
            self._announced = writer.id
            self._control.news(opened=writer.as_segment())
        if new and writer.given > 1:
            self._pending.append(writer.given)
        arrived = bool(self._pending) and self._pending[0] <= writer.written
        while self._pending and self._pending[0] <= writer.written:
            self._pending.popleft()
        if writer.id == self._announced and (moved or arrived):
            self._control.news(changed=writer.id)

    def _begin(self, taken: float) -> SegmentWriter:
        self._start_ms = round((taken - self._zero) * 1000)
        self._clocks = time.time() - time.monotonic()
        started_at = datetime.fromtimestamp(taken + self._clocks, UTC)
        writer = SegmentWriter(self._folder, started_at, self._size, self._options.fps, logs=self._options.log)
        self._recorder.begin(writer)
        focused = self._log.current()
        if focused is not None:
            writer.log(focused.model_copy(update={"t_ms": 0}))
        return writer

    def _rotate_if_due(self, taken: float) -> None:
        writer = self._recorder.writer
        if writer is None:
            return
        age = taken - self._zero - self._start_ms / 1000
        jumped = abs(time.time() - time.monotonic() - self._clocks) > _CLOCKS_SECONDS
        late = min(_LATE_SECONDS, self._options.segment_seconds / 10)
        busy = time.monotonic() - self._source.last_input < _QUIET_SECONDS
        if jumped or age >= self._options.segment_seconds + (late if busy else 0):
            self._end_film()

    def _write_log(self, writer: SegmentWriter, until: float) -> bool:
        found = self._log.release(until, self._windows.hidden, self._windows.keys_hidden)
        for event in (event for event in found if event.t_ms >= self._forgotten_ms):
            writer.log(within(event, self._start_ms, self._scale, self._size))
        return bool(found)

    def _proof(self, writer: SegmentWriter) -> dict[str, Any]:
        """Look every now and then whether what was written can be seen."""
        now = time.monotonic()
        if now < self._proof_due:
            return {}
        self._proof_due = now + _PROOF_SECONDS
        shown = newest_shown(writer.path)
        if shown is None:
            # The first picture is in the file once the second one is.
            self._proof_due = now + 1
            return {}
        return {"newest_picture_at": datetime.fromtimestamp(writer.started_at.timestamp() + shown / 1000, UTC)}


def _tidy_memory() -> None:
    """Give back what the encoder of a segment has left in pieces: it adds up over days."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _nothing() -> None:
    """Esc is the user's: it does not end what goes on all day."""
