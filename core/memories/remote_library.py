"""A remote video library, its state for each uploaded segment, and the recall that fuses its ranks with ours."""

from __future__ import annotations

import logging
import queue
import threading
import time
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, Protocol

from pydantic import ConfigDict, Field

from core.errors import VaiderError
from core.memory import MOST_RESULTS, Procedure, RecallAnswer, Recalled, RecallRequest
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from core.recall.ports import Memories
    from core.recall.question import Question
    from core.recall.recall import Recall


class RemoteMoment(NamedTuple):
    """A moment that a library names, in the name of its video there."""

    video_no: str
    t_ms: int


class Moment(NamedTuple):
    """A moment of a segment."""

    video: str
    """The segment's id."""
    began: datetime
    """When the segment began."""
    t_ms: int
    """Milliseconds from its start."""


class RemoteRanking(Protocol):
    """The answer of a remote library to a question."""

    def rank(self, query: str, limit: int) -> Sequence[Moment]:
        """The best moments, best first; blocks, for a bounded time. Raises ``VaiderError``."""
        ...


class VideoLibrary(Protocol):
    """Keeps videos and answers questions about them. Raises ``ProviderError``, ``Cancelled``."""

    @property
    def name(self) -> str:
        """As the setting ``memory_refiner`` spells it."""
        ...

    @property
    def host(self) -> str:
        """Where videos go."""
        ...

    def unavailable(self) -> str | None:
        """What is missing as a sentence that says how to supply it, without contacting a server."""
        ...

    def upload(self, film: Path, name: str, raise_if_cancelled: Callable[[], None]) -> str:
        """Put a film there under a name; tells the number that it has there."""
        ...

    def find(self, name: str) -> str | None:
        """The number of the film that was put there under a name, ``None`` when there is none."""
        ...

    def is_ready(self, video_no: str) -> bool:
        """Whether it is indexed by now. Raises ``ProviderError`` when it never will."""
        ...

    def delete(self, video_nos: Sequence[str]) -> None:
        """Delete these videos with everything derived from them; missing ones are ignored."""
        ...

    def moments(self, query: str, video_nos: Sequence[str], limit: int) -> Sequence[RemoteMoment]:
        """The moments of these videos that answer a question, best first."""
        ...


class RemoteVideo(Value):
    """The upload state of one segment, without any of its content."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    name: str
    """Its name in the library; stored before the upload, so that an interrupted one can be found and deleted."""
    began: datetime
    ended: datetime
    video_no: str | None = None
    ready: bool = False
    pending_delete: bool = Field(default=False, alias="doomed")
    """Whether it is to be deleted in the library; the file keeps the key ``doomed`` of earlier versions."""
    forgotten: bool = False
    """Whether the user had it forgotten: then no line of the list names it any more."""
    failures: Annotated[int, Field(ge=0)] = 0
    due: datetime | None = None
    """When a failed request is repeated."""


class RemoteNotes(Value):
    """The persistent state."""

    day: date | None = None
    calls: int = 0
    """Made on that day."""
    videos: dict[str, RemoteVideo] = Field(default_factory=dict)
    """By the segments' ids, oldest first."""


_LOG = logging.getLogger(__name__)

UNMEASURED: Final = 0.25
"""The confidence of results that only the library names; how often they are right is not measured."""
_K: Final = 60
"""Of reciprocal rank fusion (Cormack et al. 2009)."""
_MORE: Final = 3
_NEAR_MS: Final = 5000
"""A library's seconds are rough: so far beside a procedure a moment still means it."""
_MOST_PROCEDURES: Final = 1000


class RemoteRecall:
    """Answers as ``Recall`` does, with what a library elsewhere finds.

    Args:
        recall: the local search.
        ranking: the remote search.
        memories: the stored procedures.
        seconds: timeout of the remote search; the local answer then stands alone.

    """

    def __init__(self, recall: Recall, ranking: RemoteRanking, memories: Memories, *, seconds: float = 5.0) -> None:
        self._recall, self._ranking, self._memories, self._seconds = recall, ranking, memories, seconds
        self._asking = threading.Lock()

    def recall(self, request: RecallRequest) -> RecallAnswer:
        """What fits, best first. Raises ``StorageFailed``."""
        question = self._recall.understood(request.query)
        if question.is_about_time_alone or not self._asking.acquire(blocking=False):
            return self._recall.recall(request)
        end = time.monotonic() + self._seconds
        said: queue.SimpleQueue[Sequence[Moment]] = queue.SimpleQueue()
        threading.Thread(target=self._ask, args=(request, said), name="remote recall", daemon=True).start()
        wide = min(MOST_RESULTS, _MORE * request.limit)
        here = self._recall.recall(request.model_copy(update={"limit": wide}))
        try:
            moments = said.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            _LOG.warning("the library elsewhere did not answer within %g s", self._seconds)
            moments = ()
        there = self._named(moments, question)
        results = self._fused(here.results, there)[: request.limit]
        return RecallAnswer(results=results, message=here.message if here.results or not results else None)

    def _ask(self, request: RecallRequest, said: queue.SimpleQueue[Sequence[Moment]]) -> None:
        try:
            said.put(self._ranking.rank(request.query, min(MOST_RESULTS, _MORE * request.limit)))
        except VaiderError as error:
            _LOG.warning("the library elsewhere did not help: %s", error.message)
            said.put(())
        finally:
            self._asking.release()

    def _named(self, moments: Sequence[Moment], question: Question) -> list[Procedure]:
        """The procedures at these moments, in their order, each once; only such as the question allows."""
        found: dict[str, Procedure] = {}
        for moment in moments:
            at = moment.began + timedelta(milliseconds=moment.t_ms + _NEAR_MS)
            near = [
                (_distance(each, moment.t_ms), each)
                for each in self._memories.newest(
                    _MOST_PROCEDURES, since=moment.began - timedelta(seconds=1), before=at
                )
                if each.video == moment.video
            ]
            distance, best = min(near, key=lambda each: each[0], default=(_NEAR_MS + 1, None))
            if best is not None and distance <= _NEAR_MS and _is_then(best, question):
                found.setdefault(best.id, best)
        return list(found.values())

    def _fused(self, here: Sequence[Recalled], there: Sequence[Procedure]) -> tuple[Recalled, ...]:
        scores: dict[str, float] = {}
        for ids in ([each.id for each in here], [each.id for each in there]):
            for rank, id_ in enumerate(ids, 1):
                scores[id_] = scores.get(id_, 0.0) + 1 / (_K + rank)
        known = {each.id: each for each in here}
        for each in there:
            if each.id not in known:
                known[each.id] = self._recall.to_recalled(each, UNMEASURED)
        return tuple(sorted(known.values(), key=lambda each: -scores[each.id]))


def _distance(procedure: Procedure, t_ms: int) -> int:
    return max(procedure.start_ms - t_ms, t_ms - procedure.end_ms, 0)


def _is_then(procedure: Procedure, question: Question) -> bool:
    """Whether it began in the time that was asked for; what was quoted, only our own index vouches for."""
    span = question.span
    return not question.quotes and (span is None or span.since <= procedure.started_at < span.until)
