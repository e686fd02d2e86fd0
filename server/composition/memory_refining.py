"""Refines memories by a model or uploads segments, if that is switched on. Part of the composition root."""

from __future__ import annotations

import logging
import queue
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from core.errors import Cancelled, Conflict, VaiderError
from server.composition.from_settings import recording_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.keys import Keys
    from config.settings import Settings
    from core.documents import DocumentFile
    from core.memories.ports import Refiner, SentLedger, SentList
    from core.memories.refining import MemoryRefining, Notes
    from core.memories.remote_library import Moment, RemoteNotes
    from core.memories.remote_segments import RemoteSegments
    from core.memory import Procedure
    from core.recording.recordings import Segment
    from server.composition.memory import Memory

_LOG = logging.getLogger("vaider.memory")

OFF: Final = "none"
_MEMORIES: Final = "memories"
REFINING: Final = "memory-refining.json"
REMOTE: Final = "memory-remote.json"
"""Below the data directory: the state of refining, and of uploads to Memories.ai."""
_SHORTEST_WAIT: Final = 60.0
_LONGEST_WAIT: Final = 3600.0
_END_SECONDS: Final = 5.0
_STOP: Final = "stop"


@dataclass(frozen=True)
class _Parts:
    refining: MemoryRefining | None
    remote: RemoteSegments | None


class RefinementWorker:
    """Refines the memories of the recording on a thread of its own. Safe to call from any thread.

    While ``memory_refiner`` is ``none``, nothing of it is imported or run, and nothing leaves; what left before can
    still be listed and forgotten. Only segments that began after this was made are sent by themselves: what was
    recorded while it was switched off stays here.

    Args:
        settings: the user's.
        keys: of providers; asked when one is used.
        memory: where memories and segments are.
        since: from when on segments are sent; now.

    """

    def __init__(self, settings: Settings, keys: Keys, memory: Memory, *, since: datetime | None = None) -> None:
        self._settings, self._keys, self._memory = settings, keys, memory
        self._chosen = settings.memory_refiner
        self._since = since or datetime.now(UTC)
        self._lock = threading.RLock()
        self._built: _Parts | None = None
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._tasks: queue.SimpleQueue[Segment | str] = queue.SimpleQueue()

    @property
    def is_on(self) -> bool:
        """Whether anything may leave."""
        return self._chosen != OFF

    @property
    def helps_recall(self) -> bool:
        """Whether ``rank`` has a library to ask."""
        return self._chosen == _MEMORIES

    def start(self) -> None:
        """Start the thread: repeat failed requests, and delete remote copies of removed segments."""
        if not self.is_on:
            return

        if any((self._settings.data_path / name).exists() for name in (REFINING, REMOTE)):
            self._run()

    def stop(self) -> None:
        """Cancel the current request; it is repeated after the next start."""
        self._stopped.set()
        self._tasks.put(_STOP)
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(_END_SECONDS)

    def switch_off(self) -> None:
        """Send nothing until the next start, and cancel the current request."""
        self._chosen = OFF
        self.stop()
        with self._lock:
            self._built = None

    def offer(self, segment: Segment) -> None:
        """Queue a complete segment that has been read for refining; returns at once."""
        if self.is_on and segment.started_at >= self._since:
            self._tasks.put(segment)
            self._run()

    def removed(self, segment_ids: Sequence[str]) -> None:
        """Queue the remote deletion of removed segments; returns at once, and raises nothing."""
        if not self.helps_recall:
            return
        try:
            self._remote().mark_for_delete(segment_ids)
        except VaiderError as error:
            _LOG.warning("%s", error.message)
        self._tasks.put("")
        self._run()

    def forget(self, since: datetime, until: datetime) -> int:
        """Forget a stretch: its list entries, notes, memories and remote copies.

        Implements ``server.composition.recorder.Purgeable``; returns the number of memories removed. Raises
        ``StorageFailed``.
        """
        from core.memories.refining import forget_notes  # noqa: PLC0415 - not before it is needed
        from core.memories.remote_segments import mark_stretch_for_delete  # noqa: PLC0415 - same

        with self._lock:
            parts = self._built
        if parts is not None and parts.refining is not None:
            parts.refining.forget(since, until)
        else:
            forget_notes(self._notes(), since, until)
        if parts is not None and parts.remote is not None:
            parts.remote.forget(since, until)
        else:
            mark_stretch_for_delete(self._remote_notes(), since, until)
        self._ledger().forget(since, until)
        gone = self._memory.memories.forget(since, until)
        if self.helps_recall:
            self._tasks.put("")
            self._run()
        return gone

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        """Replace the memories of a video; implements ``server.composition.recorder.Purgeable``."""
        self._memory.memories.replace(video, procedures)

    def forget_memory(self, procedure_id: str) -> None:
        """Discard pending answers about a memory; to be called before it is forgotten."""
        with self._lock:
            parts = self._built
        if parts is not None and parts.refining is not None:
            parts.refining.forget_memory(procedure_id)

    def refine_memory(self, procedure_id: str) -> Procedure:
        """Refine one memory on request; blocks. Raises as ``MemoryRefining.refine_memory`` does."""
        refining = self._parts().refining if self.is_on else None
        if refining is None:
            raise Conflict('No model that refines memories is switched on: set memory_refiner to "vision" or "gemini".')
        return refining.refine_memory(procedure_id)

    def rank(self, query: str, limit: int) -> Sequence[Moment]:
        """Implements ``core.memories.remote_library.RemoteRanking``."""
        return self._remote().rank(query, limit) if self.helps_recall else ()

    def list_sent(self, limit: int) -> SentList:
        """The requests that left, newest first, and the segments to be deleted remotely. Raises ``StorageFailed``."""
        from core.memories.ports import SentList  # noqa: PLC0415 - not before it is needed

        there = self._remote_notes().read().videos
        left = tuple(id_ for id_, video in there.items() if video.pending_delete or not self.helps_recall)
        sent = tuple(self._ledger().newest(limit))
        return SentList(refiner=self._chosen, sent=sent, left_there=left, problem=self._lacking())

    def _lacking(self) -> str | None:
        parts = self._parts()
        if parts.refining is not None:
            return parts.refining.refiner.unavailable()
        return parts.remote.library.unavailable() if parts.remote is not None else None

    def _run(self) -> None:
        with self._lock:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._work, name="refining", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        self._safely(self._begin)
        while not self._stopped.is_set():
            try:
                task = self._tasks.get(timeout=self._wait())
            except queue.Empty:
                task = ""
            if isinstance(task, str):
                self._safely(self._take_up)
            else:
                self._safely(lambda segment=task: self._do(segment))

    def _safely(self, work: Any) -> None:
        """Log a failure, because one failing task must not stop the others."""
        if self._stopped.is_set():
            return
        try:
            work()
        except Cancelled:
            return
        except VaiderError as error:
            _LOG.warning("refining: %s", error.message)
        except Exception:  # noqa: BLE001 - a fault of ours must not end the thread
            _LOG.exception("memory.refining_failed")

    def _begin(self) -> None:
        remote = self._parts().remote
        if remote is not None:
            remote.reconcile([segment.id for segment in self._memory.segments.list()])
        self._take_up()

    def _take_up(self) -> None:
        parts = self._parts()
        if parts.remote is not None:
            parts.remote.retry(self._memory.segments.find)
        if parts.refining is not None:
            parts.refining.retry()

    def _do(self, segment: Segment) -> None:
        parts = self._parts()
        if parts.remote is not None:
            parts.remote.keep(segment)
        if parts.refining is not None:
            parts.refining.refine(segment)

    def _wait(self) -> float | None:
        """Seconds until a failed request is due; ``None`` without one."""
        try:
            parts = self._parts()
            dues = [each.next_due() for each in (parts.refining, parts.remote) if each is not None]
        except VaiderError:
            return _LONGEST_WAIT
        seconds = [(due - datetime.now(UTC)).total_seconds() for due in dues if due is not None]
        return min(_LONGEST_WAIT, max(_SHORTEST_WAIT, min(seconds))) if seconds else None

    def _raise_if_cancelled(self) -> None:
        if self._stopped.is_set():
            raise Cancelled("The daemon stops.")

    def _pause(self, seconds: float) -> None:
        if self._stopped.wait(seconds):
            raise Cancelled("The daemon stops.")

    def _remote(self) -> RemoteSegments:
        remote = self._parts().remote
        if remote is None:
            raise Conflict('Segments are kept nowhere else: memory_refiner is not "memories".')
        return remote

    def _parts(self) -> _Parts:
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built

    def _build(self) -> _Parts:
        if self._chosen == OFF:
            return _Parts(None, None)
        if self._chosen == _MEMORIES:
            return _Parts(None, self._build_remote())
        from core.memories.refining import MemoryRefining  # noqa: PLC0415 - only when it is switched on

        refiner = _pairs(self._settings, self._keys) if self._chosen == "vision" else _clips(self._settings, self._keys)
        refining = MemoryRefining(
            refiner,
            memories=self._memory.memories,
            film_of=self._memory.clips.video_of,
            ledger=self._ledger(),
            notes=self._notes(),
            calls_a_day=self._settings.memory_refiner_daily_calls,
            raise_if_cancelled=self._raise_if_cancelled,
        )
        return _Parts(refining, None)

    def _build_remote(self) -> RemoteSegments:
        from adapters.keys import MEMORIES  # noqa: PLC0415 - only when it is switched on
        from adapters.models.memory.memories_ai import MemoriesAi  # noqa: PLC0415 - same
        from config.prompts import load_prompt  # noqa: PLC0415 - same
        from core.memories.remote_segments import RemoteSegments  # noqa: PLC0415 - same

        library = MemoriesAi(
            key=lambda: self._keys.get(MEMORIES),
            prompt=load_prompt("recall_moments").text,
            base_url=self._settings.memories_base_url,
        )
        return RemoteSegments(
            library,
            memories=self._memory.memories,
            ledger=self._ledger(),
            notes=self._remote_notes(),
            calls_a_day=self._settings.memory_refiner_daily_calls,
            pause=self._pause,
        )

    def _ledger(self) -> SentLedger:
        from storage.memories.ledgers import SentFile  # noqa: PLC0415 - not before it is needed

        return SentFile(self._settings.data_path)

    def _notes(self) -> DocumentFile[Notes]:
        from core.documents import DocumentFile  # noqa: PLC0415 - same
        from core.memories.refining import Notes  # noqa: PLC0415 - not before it is needed

        return DocumentFile(self._settings.data_path / REFINING, Notes)

    def _remote_notes(self) -> DocumentFile[RemoteNotes]:
        from core.documents import DocumentFile  # noqa: PLC0415 - same
        from core.memories.remote_library import RemoteNotes  # noqa: PLC0415 - not before it is needed

        return DocumentFile(self._settings.data_path / REMOTE, RemoteNotes)


def _pairs(settings: Settings, keys: Keys) -> Refiner:
    from adapters.keys import VISION  # noqa: PLC0415 - only when it is switched on
    from adapters.models.memory.pairs import FilmPictures, PairRefiner  # noqa: PLC0415 - same
    from config.prompts import load_prompt  # noqa: PLC0415 - same

    prompt = load_prompt("describe_action")
    return PairRefiner(
        pictures=FilmPictures(**recording_limits(settings)).at,
        base_url=settings.vision_base_url,
        model=settings.vision_model,
        key=lambda: keys.get(VISION),
        prompt=prompt.text,
        prompt_version=prompt.version,
    )


def _clips(settings: Settings, keys: Keys) -> Refiner:
    from adapters.keys import GEMINI  # noqa: PLC0415 - only when it is switched on
    from adapters.models.gemini import FRAMES_PER_SECOND, GOOGLE, GeminiVideo  # noqa: PLC0415 - same
    from adapters.models.memory.gemini import ClipRefiner  # noqa: PLC0415 - same
    from adapters.models.memory.pairs import host_of  # noqa: PLC0415 - same
    from adapters.models.retry import ONCE  # noqa: PLC0415 - same
    from adapters.video.video_files import VideoConverter, VideoCutter  # noqa: PLC0415 - same
    from config.prompts import load_prompt  # noqa: PLC0415 - same

    prompt = load_prompt("describe_procedure")
    gemini = GeminiVideo(
        key=lambda: keys.get(GEMINI),
        convert=VideoConverter(**recording_limits(settings)),
        model=settings.gemini_model,
        base_url=settings.gemini_base_url,
        # The recording has two pictures a second, or as many as were asked for.
        fps=min(FRAMES_PER_SECOND, max(1.0, settings.record_fps)),
        retry=ONCE,
    )
    return ClipRefiner(
        gemini,
        cutter=VideoCutter(**recording_limits(settings)),
        host=host_of(settings.gemini_base_url or GOOGLE),
        prompt=prompt.text,
        prompt_version=prompt.version,
    )
