"""The continuous recorder as the daemon has it: started, watched over, paused, and made to forget."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

from core.errors import Conflict, StorageFailed
from core.recording.recorder import RecorderPhase, RecorderStatus
from core.values import Value
from server.media.video_limits import recording_limits
from server.parts.memory import RECORDINGS
from server.parts.recorder_options import options_of, retention_of
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
    from storage.recorder_journal import JournalFile
    from storage.segments import SegmentFolder

    Action = Literal["start", "pause", "resume", "stop"]

JOURNAL: Final = "recorder-journal.jsonl"
"""Below the data directory: what the recorder was, from moment to moment."""
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
                with self._acting, self._lock:
                    if not self._wanted:
                        raise Conflict("The recorder does not run: start it with `vaider record start`.")
                    self._paused = action == "pause"
                    if self._process is not None:
                        self._process.tell(action)
                    if self._status.phase is not RecorderPhase.FAILED:
                        phase = RecorderPhase.PAUSED if self._paused else RecorderPhase.STARTING
                        self._become(self._status.model_copy(update={"phase": phase, "reason": None, "veiled": False}))
        return self.status()

    def reconfigure(self, settings: Settings) -> None:
        """Go by other settings; once this returns, nothing is recorded by the former ones any more."""
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
        """End it with the daemon."""
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
            self._become(RecorderStatus(phase=RecorderPhase.STARTING))
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
            changes = {"phase": RecorderPhase.FAILED, "reason": why, "segment": None, "veiled": False}
            self._become(self._status.model_copy(update=changes))
            self._again = threading.Timer(wait, self._launch)
            self._again.daemon = True
            self._again.start()

    def _become(self, status: RecorderStatus) -> None:
        """It is so now; what became of it is written down, where that can be."""
        with self._lock:
            self._status = status
            with suppress(StorageFailed):
                # A process that ends may still tell of what it did.
                if (journal := self._noted()) is not None and (self._wanted or status.phase is RecorderPhase.OFF):
                    journal.note(status.phase, veiled=status.veiled)

    def _noted(self) -> JournalFile | None:
        """Where that is written; nowhere before there is a recording."""
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
    from adapters.video.cutting import VideoCutter  # noqa: PLC0415 - only to forget

    limits = recording_limits(settings)
    # What is to be forgotten is cut out, however large it is.
    limits["max_bytes"] = max(limits["max_bytes"], 1 << 40)
    return VideoCutter(**limits)
