"""The continuous recorder as the daemon has it: started, watched over, paused, and made to forget."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Protocol

from core.errors import Conflict, InvalidRequest, StorageFailed
from core.recording.recorder import Exclusions, RecorderOptions, RecorderPhase, RecorderStatus, Retention
from core.values import Value
from server.parts.memory import RECORDINGS
from server.video_limits import recording_limits
from storage.files import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from typing import Literal

    from adapters.recording.continuous.process import RecorderNews, RecorderProcess
    from config.settings import Settings
    from core.memories.clips import Cutter
    from core.memory import Procedure
    from core.recording.reading_status import ReadingStatus
    from core.recording.segments import Segment, SegmentViewer
    from storage.segments import SegmentFolder

    Action = Literal["start", "pause", "resume", "stop"]

_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0
_SOUND_SECONDS: Final = 60.0
"""A process that has lived so long did not fail at once: the next one is not waited for."""
_END_SECONDS: Final = 5.0
_ROTATE_SECONDS: Final = 15.0


class Forgetful(Protocol):
    """What was read from the recording, and has to forget with it."""

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove everything that touches the stretch; tells how much that was."""
        ...

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        """Make these what is remembered of a film; none of one of which only parts are left, which are read anew."""
        ...


class Forgotten(Value):
    """What is gone."""

    since: datetime
    until: datetime
    segments: int
    """So many lost pictures, or all of them."""
    memories: int


def options_of(settings: Settings) -> RecorderOptions:
    """What the settings say of the recorder. Raises ``ValidationError``."""
    return RecorderOptions(
        display=settings.record_display,
        fps=settings.record_fps,
        size=settings.record_size,
        segment_seconds=settings.record_segment_seconds,
        border=settings.record_border,
        log=settings.record_input_log,
        exclusions=Exclusions(
            applications=settings.record_exclude_apps,
            titles=settings.record_exclude_titles,
            urls=settings.record_exclude_urls,
            usual=settings.record_exclude_usual,
        ),
    )


def retention_of(settings: Settings) -> Retention:
    """What the settings say may be kept."""
    limits = [hours for hours in (settings.record_keep_hours, settings.record_keep_days * 24) if hours]
    return Retention(
        segments=settings.record_keep_segments,
        hours=min(limits, default=0.0),
        size_bytes=settings.record_keep_bytes,
    )


def stretch(*, last: str | None, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """The stretch that somebody means: ``10m``, ``2h``, ``90s``, ``1d``, or two moments; the second one may be now.

    Raises ``InvalidRequest``.
    """
    now = datetime.now(UTC)
    if (last is None) is (since is None):
        raise InvalidRequest('Say what to forget: "last", such as 10m, 2h or 1d, or "since", and "until" if not now.')
    if last is not None:
        unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(last[-1:].lower())
        number = last[:-1].strip()
        if unit is None or not number.isascii() or not number.isdigit() or len(number) > 6:  # noqa: PLR2004 - digits
            raise InvalidRequest(f"{last[:40]!r} is no stretch of time: say a number and s, m, h or d, such as 10m.")
        return now - timedelta(seconds=int(number) * unit), now
    begin, end = (_in_utc(each) for each in (since or now, until or now))
    if begin >= end:
        raise InvalidRequest('There is nothing between: "since" has to come before "until".')
    return begin, end


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise InvalidRequest(f"{moment.isoformat()} has no time zone: add Z, or +01:00 and the like.")
    return moment.astimezone(UTC)


class Recorder:
    """Safe to call from any thread. Nothing is imported or started for it before it is used.

    Args:
        settings: the user's.
        memories: gives what has to forget what was read from a stretch.
        viewer: is told what happens to segments.
        reading: tells how far they have been read.
        environment: of the user's session.

    """

    def __init__(
        self,
        settings: Settings,
        *,
        memories: Callable[[], Forgetful] | None = None,
        viewer: SegmentViewer | None = None,
        reading: Callable[[], ReadingStatus | None] = lambda: None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._settings, self._memories, self._viewer = settings, memories, viewer
        self._reading = reading
        self._environment = environment
        self._folder = settings.data_path / RECORDINGS
        self._lock = threading.RLock()
        self._forgetting = threading.Lock()
        self._segments: SegmentFolder | None = None
        self._process: RecorderProcess | None = None
        self._status = RecorderStatus()
        self._wanted = self._paused = self._closed = False
        self._runs = 0
        self._restarts = 0
        self._wait = _FIRST_WAIT
        self._launched = 0.0
        self._again: threading.Timer | None = None
        self._rotated = threading.Event()

    def begin(self) -> None:
        """Start it with the daemon, if the settings say so; where it cannot start, the status says why."""
        if self._settings.record_when != "always":
            return
        try:
            self._start()
        except StorageFailed as error:
            with self._lock:
                self._status = RecorderStatus(phase=RecorderPhase.FAILED, reason=error.message)

    def act(self, action: Action) -> RecorderStatus:
        """Start, pause, resume or stop it; what is so already stays so.

        Raises:
            Conflict: there is nothing to pause or to resume.
            StorageFailed: the folder of the recording cannot be made.

        """
        match action:
            case "start":
                self._start()
            case "stop":
                self._stop()
            case "pause" | "resume":
                with self._lock:
                    if not self._wanted:
                        raise Conflict("The recorder does not run: start it with `vaider record start`.")
                    self._paused = action == "pause"
                    if self._process is not None:
                        self._process.tell(action)
                    if self._status.phase is not RecorderPhase.FAILED:
                        phase = RecorderPhase.PAUSED if self._paused else RecorderPhase.STARTING
                        self._status = self._status.model_copy(update={"phase": phase, "reason": None})
        return self.status()

    def status(self) -> RecorderStatus:
        """How it is, and what there is."""
        with self._lock:
            status, restarts = self._status, self._restarts
        return with_segments(status, self._listed(), restarts).model_copy(update={"reading": self._reading()})

    @contextmanager
    def during_run(self) -> Generator[None]:
        """Record while a run is going on, if the settings say so."""
        if self._settings.record_when != "runs":
            yield
            return
        with self._lock:
            self._runs += 1
            starts = self._runs == 1 and not self._wanted
        if starts:
            self._start()
        try:
            yield
        finally:
            with self._lock:
                self._runs -= 1
                ends = self._runs == 0
            if ends:
                self._stop()

    def forget(self, since: datetime, until: datetime) -> Forgotten:
        """Remove all that was recorded, logged and remembered from one moment to another; blocks until it is gone.

        Raises:
            StorageFailed: it could not be removed; nothing that is told as gone is there any more.
            InvalidVideo: a segment cannot be cut.

        """
        with self._forgetting:
            self._rotate()
            gone, made = self._opened().forget(since, until, _cutter(self._settings))
            if self._viewer is not None and gone:
                self._viewer.removed(gone)
            memories = self._forget_memories(since, until, gone)
            if self._viewer is not None:
                for segment in made:
                    self._viewer.closed(segment)
        return Forgotten(since=since, until=until, segments=len(gone), memories=memories)

    def _forget_memories(self, since: datetime, until: datetime, gone: Sequence[str]) -> int:
        if self._memories is None:
            return 0
        memories = self._memories()
        count = memories.forget(since, until)
        for one in gone:
            memories.replace(one, ())
        return count

    def close(self) -> None:
        """End it with the daemon."""
        with self._lock:
            self._closed = True
        self._stop()

    def _start(self) -> None:
        make_private(self._folder)
        with self._lock:
            if self._closed:
                return
            self._paused = False
            if self._wanted and self._process is not None:
                self._process.tell("resume")
                return
            self._wanted, self._wait = True, _FIRST_WAIT
            self._launch()

    def _launch(self) -> None:
        from adapters.recording.continuous.process import RecorderProcess  # noqa: PLC0415 - as the class says

        with self._lock:
            self._drop_timer()
            if not self._wanted or self._process is not None:
                return
            self._launched = time.monotonic()
            self._status = RecorderStatus(phase=RecorderPhase.STARTING)
            self._process = RecorderProcess(
                options_of(self._settings),
                self._folder,
                hear=self._hear,
                ended=self._ended,
                environment=self._environment,
            )
            if self._paused:
                self._process.tell("pause")

    def _stop(self) -> None:
        with self._lock:
            self._wanted = self._paused = False
            self._drop_timer()
            process = self._process
        if process is not None:
            process.close(_END_SECONDS)
        with self._lock:
            self._process = None
            self._status = RecorderStatus(newest_picture_at=self._status.newest_picture_at)

    def _drop_timer(self) -> None:
        timer, self._again = self._again, None
        if timer is not None:
            timer.cancel()

    def _rotate(self) -> None:
        """Have the segment ended that is being recorded."""
        with self._lock:
            process = self._process
            self._rotated.clear()
        if process is None:
            return
        process.tell("rotate")
        if not self._rotated.wait(_ROTATE_SECONDS):
            raise StorageFailed(
                "The recorder does not end its segment: stop it with `vaider record stop`, then forget."
            )

    def _hear(self, news: RecorderNews) -> None:
        if news.status is not None:
            with self._lock:
                before = self._status
                # The newest picture of an earlier segment is still the newest.
                kept = news.status.newest_picture_at or before.newest_picture_at
                self._status = news.status.model_copy(update={"newest_picture_at": kept})
        viewer = self._viewer
        if news.opened is not None and viewer is not None:
            viewer.opened(news.opened)
        if news.changed is not None and viewer is not None:
            viewer.changed(news.changed)
        if news.closed is not None:
            if viewer is not None:
                viewer.closed(news.closed)
            self._prune()
        if news.rotated is not None:
            self._rotated.set()

    def _prune(self) -> None:
        try:
            old = self._opened().prune(retention_of(self._settings), datetime.now(UTC))
        except StorageFailed as error:
            with self._lock:
                self._status = self._status.model_copy(update={"warnings": (error.message,)})
            return
        if old and self._viewer is not None:
            self._viewer.removed(old)

    def _ended(self, code: int) -> None:
        """Its process is gone: it is started again, unless that is what was wanted, or would not help."""
        with self._lock:
            self._process = None
            self._rotated.set()
            if not self._wanted:
                return
            if code == 0 and self._status.phase is RecorderPhase.FAILED:
                self._wanted = False
                return
            self._restarts += 1
            if time.monotonic() - self._launched > _SOUND_SECONDS:
                self._wait = _FIRST_WAIT
            wait, self._wait = self._wait, min(self._wait * 2, _LONGEST_WAIT)
            why = f"The recorder's process ended ({code}); it is started again in {wait:g} s."
            self._status = self._status.model_copy(
                update={"phase": RecorderPhase.FAILED, "reason": why, "segment": None}
            )
            self._again = threading.Timer(wait, self._launch)
            self._again.daemon = True
            self._again.start()

    def _opened(self) -> SegmentFolder:
        with self._lock:
            if self._segments is None:
                from storage.segments import SegmentFolder  # noqa: PLC0415 - as the class says

                self._segments = SegmentFolder(self._folder)
            return self._segments

    def _listed(self) -> Sequence[Segment]:
        return self._opened().list() if self._folder.is_dir() else ()


def with_segments(status: RecorderStatus, segments: Sequence[Segment], restarts: int = 0) -> RecorderStatus:
    """A status that also tells what there is, and how old the newest picture is now."""
    newest = status.newest_picture_at
    return status.model_copy(
        update={
            "segments": len(segments),
            "size_bytes": sum(segment.size_bytes for segment in segments),
            "oldest_at": segments[0].started_at if segments else None,
            "newest_picture_age_seconds": None
            if newest is None
            else round(max(0.0, (datetime.now(UTC) - newest).total_seconds()), 1),
            "restarts": restarts,
        }
    )


def _cutter(settings: Settings) -> Cutter:
    from adapters.video.cutting import VideoCutter  # noqa: PLC0415 - only to forget

    limits = recording_limits(settings)
    # What is to be forgotten is cut out, however large it is.
    limits["max_bytes"] = max(limits["max_bytes"], 1 << 40)
    return VideoCutter(**limits)
