"""Complete segments kept in a video library elsewhere, so that it can be asked for moments: only if switched on.

What was put there is written down before it is sent, and is deleted there when it is forgotten or expires here.
"""

from __future__ import annotations

import logging
import secrets
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from core.errors import Cancelled, DailyCallsSpent, NotFound, StorageFailed, VaiderError
from core.memories.ports import Sent, SentLedger, What
from core.memories.refinements import hides_something
from core.memories.refining import LATER, one_more_call
from core.memories.remote_library import Moment, RemoteNotes, RemoteVideo, VideoLibrary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from core.documents import DocumentFile
    from core.recall.ports import Memories
    from core.recording.recordings import Segment

_LOG = logging.getLogger(__name__)
_SECOND: Final = timedelta(seconds=1)
_MOST_PROCEDURES: Final = 1000
MOST_ASKED: Final = 100
"""So many videos are asked about at most, the newest."""
_MOST_LOOKS: Final = 12
"""So often it is looked whether a video can be asked about by now, ten minutes apart."""
_LONGEST_PAUSE: Final = timedelta(days=1)


class RemoteSegments:
    """Puts segments into a library, asks it, and deletes there what is gone here. Implements ``RemoteRanking``.

    Args:
        library: the remote library.
        memories: what is remembered; a segment in which a hidden value was typed stays here.
        ledger: the list of what was sent.
        notes: what is there.
        calls_a_day: at most so many uploads and questions on a day (UTC).
        poll_seconds: how often it is asked whether a video is ready.
        ready_seconds: and for how long at most.
        now: the moment, aware.
        pause: waits; raises ``Cancelled`` once the work shall stop.

    """

    def __init__(
        self,
        library: VideoLibrary,
        *,
        memories: Memories,
        ledger: SentLedger,
        notes: DocumentFile[RemoteNotes],
        calls_a_day: int,
        poll_seconds: float = 3.0,
        ready_seconds: float = 120.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        pause: Callable[[float], None],
    ) -> None:
        self.library = library
        self._memories, self._ledger, self._file = memories, ledger, notes
        self._most, self._poll, self._patience = calls_a_day, poll_seconds, ready_seconds
        self._now, self._pause = now, pause
        self._lock = threading.Lock()

    def keep(self, segment: Segment) -> bool:
        """Put a complete segment there, and wait until it can be asked about; blocks. Tells whether it is there.

        What fails is noted and tried again later, see ``retry``. Raises ``Cancelled`` and ``StorageFailed``.
        """
        known = self._file.read().videos.get(segment.id)
        if known is not None and (known.pending_delete or known.ready or known.due is None or known.due > self._now()):
            return known.ready
        lacking = self.library.unavailable()
        if lacking is not None:
            _LOG.warning("segments are not uploaded: %s", lacking)
            return False
        done = self._memories.newest(
            _MOST_PROCEDURES, since=segment.started_at - _SECOND, before=segment.ended_at + _SECOND
        )
        if any(hides_something(each) for each in done if each.video == segment.id):
            _LOG.info("segment %s stays here: a hidden value was typed in it", segment.id)
            return False
        return self._carry(segment, known)

    def retry(self, find: Callable[[str], Segment | None]) -> None:
        """Repeat the failed uploads and deletions that are due. Raises as ``keep`` does."""
        now = self._now()
        for id_, video in self._file.read().videos.items():
            if video.pending_delete or video.due is None or video.due > now:
                continue
            segment = find(id_)
            if segment is None:
                self.mark_for_delete([id_])
            else:
                self.keep(segment)
        self.delete_pending()

    def next_due(self) -> datetime | None:
        """When something that failed is tried again, if anything is."""
        return min((each.due for each in self._file.read().videos.values() if each.due is not None), default=None)

    def mark_for_delete(self, segment_ids: Collection[str]) -> None:
        """Mark these segments for deletion; ``delete_pending`` deletes them. Raises ``StorageFailed``."""
        self._mark_for_delete(lambda id_, _: id_ in segment_ids)

    def forget(self, since: datetime, until: datetime) -> None:
        """Mark all segments of a stretch for deletion in the library."""
        with self._lock:
            mark_stretch_for_delete(self._file, since, until)

    def reconcile(self, segment_ids: Collection[str]) -> None:
        """After a start: mark all segments but these for deletion, and resume interrupted uploads."""
        self._mark_for_delete(lambda id_, _: id_ not in segment_ids)
        with self._lock:
            notes = self._file.read()
            now = self._now()
            videos = {
                id_: video.model_copy(update={"due": now})
                if not (video.ready or video.failures or video.due)
                else video
                for id_, video in notes.videos.items()
            }
            if videos != notes.videos:
                self._file.write(notes.model_copy(update={"videos": videos}))

    def delete_pending(self) -> None:
        """Delete the marked segments that are due; a failure is noted, listed, and repeated later."""
        now = self._now()
        for id_, video in self._file.read().videos.items():
            if video.pending_delete and (video.due is None or video.due <= now):
                self._delete(id_, video)

    def left_there(self) -> tuple[str, ...]:
        """The segments whose deletion is pending."""
        return tuple(id_ for id_, video in self._file.read().videos.items() if video.pending_delete)

    def rank(self, query: str, limit: int) -> Sequence[Moment]:
        """Ask for the moments that answer a question; sends nothing when no video is ready."""
        ready = {
            video.video_no: (id_, video)
            for id_, video in self._file.read().videos.items()
            if video.ready and not video.pending_delete and video.video_no is not None
        }
        numbers = list(ready)[-MOST_ASKED:]
        if not numbers or self.library.unavailable() is not None:
            return ()
        with self._lock:
            self._count()
        self._ledger.add(
            Sent(
                at=self._now(),
                what="question",
                host=self.library.host,
                refiner=self.library.name,
                text_bytes=len(query.encode()),
            )
        )
        found: list[Moment] = []
        for moment in self.library.moments(query, numbers, limit):
            if moment.video_no in ready:
                id_, video = ready[moment.video_no]
                found.append(Moment(id_, video.began, moment.t_ms))
        return found[:limit]

    def _carry(self, segment: Segment, known: RemoteVideo | None) -> bool:
        try:
            size = segment.path.stat().st_size
        except OSError:
            self.mark_for_delete([segment.id])
            return False
        video = known or RemoteVideo(
            name=f"vaider-{secrets.token_hex(12)}", began=segment.started_at, ended=segment.ended_at
        )
        if known is None:
            self._put(segment.id, video)
        try:
            number = video.video_no or (self.library.find(video.name) if known is not None else None)
            if number is None:
                self._let_out(segment.id, video, size)
                number = self.library.upload(segment.path, video.name, lambda: self._pause(0))
            video = video.model_copy(update={"video_no": number, "due": None})
            self._put(segment.id, video)
            ready = self._wait_for(number)
        except DailyCallsSpent as spent:
            _LOG.warning("segments wait: %s", spent.message)
            tomorrow = datetime.combine(self._now().date() + timedelta(days=1), datetime.min.time(), UTC)
            self._put(segment.id, video.model_copy(update={"due": tomorrow}))
            return False
        except Cancelled:
            # An interrupted upload may have arrived: the next attempt looks for it first.
            self._put(segment.id, video.model_copy(update={"due": self._now()}))
            raise
        except StorageFailed:
            raise
        except NotFound:
            return False
        except VaiderError as error:
            self._failed(segment.id, error)
            return False
        slow = 0 if ready else video.failures + 1
        due = self._now() + LATER[0] if 0 < slow < _MOST_LOOKS else None
        known_now = {"video_no": number, "ready": ready, "failures": slow, "due": due}
        self._put(segment.id, video.model_copy(update=known_now))
        return ready

    def _wait_for(self, number: str) -> bool:
        waited = 0.0
        while not self.library.is_ready(number):
            if waited >= self._patience:
                return False
            self._pause(self._poll)
            waited += self._poll
        return True

    def _failed(self, segment_id: str, error: VaiderError) -> None:
        with self._lock:
            notes = self._file.read()
            video = notes.videos.get(segment_id)
            if video is None:
                return
            failures = video.failures + 1
            due = self._now() + LATER[failures - 1] if failures <= len(LATER) else None
            _LOG.warning("segment %s was not uploaded (%d): %s", segment_id, failures, error.message)
            self._write(notes, segment_id, video.model_copy(update={"failures": failures, "due": due}))

    def _delete(self, segment_id: str, video: RemoteVideo) -> None:
        try:
            number = video.video_no or self.library.find(video.name)
            if number is not None:
                self.library.delete([number])
        except (Cancelled, StorageFailed):
            raise
        except VaiderError as error:
            if video.due is None:
                self._list(segment_id, video, "not deleted")
            pause = min(_LONGEST_PAUSE, LATER[0] * 2 ** min(video.failures, 10))
            _LOG.warning("segment %s was not deleted at %s: %s", segment_id, self.library.host, error.message)
            self._put(segment_id, video.model_copy(update={"failures": video.failures + 1, "due": self._now() + pause}))
            return
        with self._lock:
            notes = self._file.read()
            kept = {id_: each for id_, each in notes.videos.items() if id_ != segment_id}
            self._file.write(notes.model_copy(update={"videos": kept}))
        if number is not None:
            self._list(segment_id, video, "deleted")

    def _mark_for_delete(self, is_meant: Callable[[str, RemoteVideo], bool]) -> None:
        with self._lock:
            _mark_for_delete(self._file, is_meant)

    def _put(self, segment_id: str, video: RemoteVideo) -> None:
        """Persist the state of a video; a pending delete is never reverted."""
        with self._lock:
            notes = self._file.read()
            before = notes.videos.get(segment_id)
            if before is not None and before.pending_delete and not video.pending_delete:
                video = video.model_copy(update={"pending_delete": True, "forgotten": before.forgotten, "due": None})
            self._write(notes, segment_id, video)

    def _write(self, notes: RemoteNotes, segment_id: str, video: RemoteVideo) -> None:
        self._file.write(notes.model_copy(update={"videos": {**notes.videos, segment_id: video}}))

    def _let_out(self, segment_id: str, video: RemoteVideo, size_bytes: int) -> None:
        """Count and list an upload; raises ``NotFound`` for a segment forgotten meanwhile, and ``DailyCallsSpent``."""
        with self._lock:
            known = self._file.read().videos.get(segment_id)
            if known is None or known.pending_delete:
                raise NotFound(f"Segment {segment_id} was forgotten.")
            self._count()
            self._list(segment_id, video, "segment", size_bytes)

    def _count(self) -> None:
        """Count one request. The caller holds the lock."""
        notes = self._file.read()
        self._file.write(notes.model_copy(update=one_more_call(notes.day, notes.calls, self._now().date(), self._most)))

    def _list(self, segment_id: str, video: RemoteVideo, what: What, size_bytes: int = 0) -> None:
        line = Sent(at=self._now(), what=what, host=self.library.host, refiner=self.library.name, bytes=size_bytes)
        if not video.forgotten:
            shown = {
                "video": segment_id,
                "seen_from": video.began,
                "seen_until": video.ended,
                "times_ms": (0, round((video.ended - video.began) / timedelta(milliseconds=1))),
            }
            line = line.model_copy(update=shown)
        self._ledger.add(line)


def mark_stretch_for_delete(file: DocumentFile[RemoteNotes], since: datetime, until: datetime) -> None:
    """Mark all segments of a stretch for deletion in the library. Raises ``StorageFailed``."""
    _mark_for_delete(file, lambda _, video: video.ended >= since and video.began <= until, forgotten=True)


def _mark_for_delete(
    file: DocumentFile[RemoteNotes], is_meant: Callable[[str, RemoteVideo], bool], *, forgotten: bool = False
) -> None:
    notes = file.read()
    fresh = {"pending_delete": True, "failures": 0, "due": None}
    pending_delete = {
        id_: video.model_copy(
            update={**({} if video.pending_delete else fresh), "forgotten": forgotten or video.forgotten}
        )
        for id_, video in notes.videos.items()
        if is_meant(id_, video) and not (video.pending_delete and (video.forgotten or not forgotten))
    }
    if pending_delete:
        file.write(notes.model_copy(update={"videos": {**notes.videos, **pending_delete}}))
