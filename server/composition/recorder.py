"""The daemon's continuous recorder: starts, supervises and pauses it, and removes stretches of the recording."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, Protocol

from core.errors import Conflict, StorageFailed
from core.files import make_private
from core.recording.recorder import ReadingStatus, RecorderPhase, RecorderStatus
from core.values import Value
from server.composition.from_settings import options_of, recording_limits, retention_of
from server.composition.memory import RECORDINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from adapters.recording.continuous.process import RecorderNews, RecorderProcess
    from config.settings import Settings
    from core.memories.clips import Cutter
    from core.memory import Procedure
    from core.recording.recordings import Segment, SegmentViewer
    from storage.recorder_journal import JournalFile
    from storage.segments import SegmentFolder

    Action = Literal["start", "pause", "resume", "stop"]

JOURNAL: Final = "recorder-journal.jsonl"
"""Below the data directory: the journal of the recorder's states."""
_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0
_SOUND_SECONDS: Final = 60.0
"""Seconds after which a process that ends is restarted without a delay, because it did not fail at its start."""
_END_SECONDS: Final = 5.0
_ROTATE_SECONDS: Final = 15.0


class Purgeable(Protocol):
    """Data derived from the recording, which must be purged together with it."""

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove everything that touches the stretch; returns the number of removed items."""
        ...

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        """Make these what is remembered of a film; none of one of which only parts are left, which are read anew."""
        ...


class Forgotten(Value):
    """What is gone."""

    since: datetime
    until: datetime
    segments: int
    """Number of segments that lost some or all of their pictures."""
    memories: int


class Recorder:
    """Safe to call from any thread. Nothing is imported or started for it before it is used.

    Args:
        settings: the user's.
        memories: returns the derived data to purge with a stretch.
        viewer: observes segments.
        reading: returns the status of reading.
        environment: of the user's session.

    """

    def __init__(
        self,
        settings: Settings,
        *,
        memories: Callable[[], Purgeable] | None = None,
        viewer: SegmentViewer | None = None,
        reading: Callable[[], ReadingStatus | None] = lambda: None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._settings, self._memories, self._viewer = settings, memories, viewer
        self._reading = reading
        self._environment = environment
        self._folder = settings.data_path / RECORDINGS
        self._lock = threading.RLock()
        self._acting = threading.RLock()
        self._forgetting = threading.Lock()
        self._segments: SegmentFolder | None = None
        self._process: RecorderProcess | None = None
        self._status = RecorderStatus()
        self._journal: JournalFile | None = None
        self._wanted = self._paused = self._closed = False
        self._runs = 0
        self._restarts = 0
        self._wait = _FIRST_WAIT
        self._launched = 0.0
        self._again: threading.Timer | None = None
        self._rotated = threading.Event()

    def begin(self) -> None:
        """Start it with the daemon, if the settings say so; where it cannot start, the status says why."""
        with suppress(StorageFailed):
            if (journal := self._noted()) is not None:
                journal.begin(lambda: max((segment.ended_at for segment in self._listed()), default=None))
        if self._settings.record_when != "always":
            return
        try:
            self._start()
        except StorageFailed as error:
            with self._lock:
                self._become(RecorderStatus(phase=RecorderPhase.FAILED, reason=error.message))

    def act(self, action: Action) -> RecorderStatus:
        """Start, pause, resume or stop it; idempotent.

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
                with self._acting, self._lock:
                    if not self._wanted:
                        raise Conflict("The recorder does not run: start it with `vaider record start`.")
                    self._paused = action == "pause"
                    if self._process is not None:
                        self._process.send_command(action)
                    if self._status.phase is not RecorderPhase.FAILED:
                        phase = RecorderPhase.PAUSED if self._paused else RecorderPhase.STARTING
                        self._become(self._status.model_copy(update={"phase": phase, "reason": None, "veiled": False}))
        return self.status()

    def reconfigure(self, settings: Settings) -> None:
        """Apply other settings; after this returns, the former ones are no longer in use."""
        with self._acting:
            former, self._settings = self._settings, settings
            with self._lock:
                wanted, paused = self._wanted, self._paused
            if not wanted or options_of(former) == options_of(settings):
                return
            self._stop()
            with self._lock:
                self._wanted, self._paused, self._wait = not self._closed, paused, _FIRST_WAIT
                self._launch()

    def status(self) -> RecorderStatus:
        """The status of the recorder and of its folder."""
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
        """Remove the recording, the logs and the memories of a stretch; blocks until they are gone.

        Raises:
            StorageFailed: it could not be removed; everything that the status calls removed is gone.
            InvalidVideo: a segment cannot be cut.

        """
        with self._forgetting:
            self._rotate()
            gone, made = self._opened().forget(since, until, _cutter(self._settings))
            if self._viewer is not None and gone:
                self._viewer.removed(gone)
            if (journal := self._noted()) is not None and since < (now := datetime.now(UTC)):
                journal.forget(since, min(until, now))
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
        """Stop it at the daemon's shutdown."""
        with self._lock:
            self._closed = True
        self._stop()

    def _start(self) -> None:
        make_private(self._folder)
        with self._acting, self._lock:
            if self._closed:
                return
            self._paused = False
            if self._wanted and self._process is not None:
                self._process.send_command("resume")
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
            self._become(RecorderStatus(phase=RecorderPhase.STARTING))
            self._process = RecorderProcess(
                options_of(self._settings),
                self._folder,
                hear=self._hear,
                ended=self._ended,
                environment=self._environment,
            )
            if self._paused:
                self._process.send_command("pause")

    def _stop(self) -> None:
        with self._acting:
            self._stop_now()

    def _stop_now(self) -> None:
        with self._lock:
            self._wanted = self._paused = False
            self._drop_timer()
            process = self._process
        if process is not None:
            process.close(_END_SECONDS)
        with self._lock:
            self._process = None
            self._become(RecorderStatus(newest_picture_at=self._status.newest_picture_at))

    def _drop_timer(self) -> None:
        timer, self._again = self._again, None
        if timer is not None:
            timer.cancel()

    def _rotate(self) -> None:
        """Ask the recorder to complete its current segment."""
        with self._lock:
            process = self._process
            self._rotated.clear()
        if process is None:
            return
        process.send_command("rotate")
        if not self._rotated.wait(_ROTATE_SECONDS):
            raise StorageFailed(
                "The recorder does not end its segment: stop it with `vaider record stop`, then forget."
            )

    def _hear(self, news: RecorderNews) -> None:
        if news.status is not None:
            with self._lock:
                before = self._status
                # Until the first picture of this segment, the newest one is that of an earlier segment.
                kept = news.status.newest_picture_at or before.newest_picture_at
                self._become(news.status.model_copy(update={"newest_picture_at": kept}))
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
        """Restart the ended process, unless it was stopped on purpose or a restart cannot help."""
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
            changes = {"phase": RecorderPhase.FAILED, "reason": why, "segment": None, "veiled": False}
            self._become(self._status.model_copy(update=changes))
            self._again = threading.Timer(wait, self._launch)
            self._again.daemon = True
            self._again.start()

    def _become(self, status: RecorderStatus) -> None:
        """Set the status, and write it to the journal if that is possible."""
        with self._lock:
            self._status = status
            with suppress(StorageFailed):
                # A process that is ending may still send its last status.
                if (journal := self._noted()) is not None and (self._wanted or status.phase is RecorderPhase.OFF):
                    journal.note(status.phase, veiled=status.veiled)

    def _noted(self) -> JournalFile | None:
        """The journal; ``None`` before there is a recording."""
        with self._lock:
            if self._journal is None and self._folder.is_dir():
                from storage.recorder_journal import JournalFile  # noqa: PLC0415 - as the class says

                self._journal = JournalFile(self._folder.parent / JOURNAL)
            return self._journal

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
    from adapters.video.video_files import VideoCutter  # noqa: PLC0415 - only to forget

    limits = recording_limits(settings)
    # A stretch to be forgotten is cut out regardless of the video's size.
    limits["max_bytes"] = max(limits["max_bytes"], 1 << 40)
    return VideoCutter(**limits)
