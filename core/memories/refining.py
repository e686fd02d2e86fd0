"""Refines memories with a model of the user's choice: nothing leaves the machine unless that is switched on.

A refiner is shown recorded film, never the screen, so that what was blacked out stays so. Before a byte leaves it is
counted, and written into the list of what was sent; where either cannot be done, it stays.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from core.errors import (
    Cancelled,
    Conflict,
    DailyCallsSpent,
    ForgottenMeanwhile,
    InvalidReply,
    NotFound,
    StorageFailed,
    VaiderError,
)
from core.memories.ports import MOST_TIMES, Refiner, Sent, SentLedger, What
from core.memories.refinements import hides_something, refine, vague_steps
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from core.documents import DocumentFile
    from core.memory import Procedure
    from core.recall.ports import Memories
    from core.recording.recordings import Segment

_LOG = logging.getLogger(__name__)

LATER: Final = (timedelta(minutes=10), timedelta(hours=2))
"""Delays before the second and the third attempt; there is no fourth."""
MOST_NOTES: Final = 4000
_MOST_PROCEDURES: Final = 5000
_LONGEST: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


class Note(Value):
    """The state of one memory's refining, without any content of the memory."""

    began: datetime
    ended: datetime
    result: str = ""
    """A hash of the memory as it was left; empty as long as it failed."""
    failures: Annotated[int, Field(ge=0, le=3)] = 0
    due: datetime | None = None
    """When it is tried again."""


class Notes(Value):
    """The persistent state."""

    day: date | None = None
    calls: int = 0
    """Made on that day."""
    memories: dict[str, Note] = Field(default_factory=dict)


def one_more_call(day: date | None, calls: int, today: date, most: int) -> dict[str, Any]:
    """The counters with one call more. Raises ``DailyCallsSpent``."""
    calls = calls if day == today else 0
    if calls >= most:
        raise DailyCallsSpent(
            f"The {most} calls a day of memory_refiner_daily_calls are spent; it goes on tomorrow (UTC)."
        )
    return {"day": today, "calls": calls + 1}


class MemoryRefining:
    """Asks a refiner about what is remembered, and keeps what may be kept.

    Args:
        refiner: the model.
        memories: the stored procedures.
        film_of: the video in which a procedure can be seen, ``None`` when it is gone.
        ledger: the list of what was sent.
        notes: what was done, and how often something failed.
        calls_a_day: at most so many requests leave on a day (UTC).
        now: the moment, aware.
        raise_if_cancelled: raises ``Cancelled`` once the work shall stop.

    """

    def __init__(
        self,
        refiner: Refiner,
        *,
        memories: Memories,
        film_of: Callable[[Procedure], Path | None],
        ledger: SentLedger,
        notes: DocumentFile[Notes],
        calls_a_day: int,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        raise_if_cancelled: Callable[[], None] = lambda: None,
    ) -> None:
        self.refiner = refiner
        self._memories, self._film_of, self._ledger = memories, film_of, ledger
        self._file, self._most, self._now, self._raise_if_cancelled = notes, calls_a_day, now, raise_if_cancelled
        self._lock = threading.Lock()
        self._forgotten: list[Callable[[Procedure], bool]] = []

    def refine(self, segment: Segment) -> int:
        """Refine what was done in a segment that is complete and was read; blocks. Tells how many were refined.

        A refiner that fails leaves a memory as it was; that is noted and tried again later, see ``retry``.
        Raises ``Cancelled`` and ``StorageFailed``.
        """
        since = len(self._forgotten)
        return self._refine_all(self._of_video(segment.id, segment.started_at, segment.ended_at), since)

    def retry(self) -> int:
        """Refine what failed before and is due; tells how many were refined. Raises as ``refine`` does."""
        now, since = self._now(), len(self._forgotten)
        due = [id_ for id_, note in self._file.read().memories.items() if note.due is not None and note.due <= now]
        notes = self._file.read().memories
        found = [procedure for id_ in due if (procedure := self._memories.get(id_)) is not None]
        found = [each for each in found if self._wants(each, notes.get(each.id))]
        self._drop(set(due) - {each.id for each in found})
        return self._refine_all(found, since)

    def next_due(self) -> datetime | None:
        """When something that failed is tried again, if anything is."""
        return min((note.due for note in self._file.read().memories.values() if note.due is not None), default=None)

    def refine_memory(self, procedure_id: str) -> Procedure:
        """Refine one memory on request, regardless of its steps and of earlier failures; blocks.

        Raises:
            NotFound: there is no such memory, or no film of it.
            Conflict: the refiner lacks something, or a hidden value was typed in it.
            ProviderError, DailyCallsSpent, InvalidVideo, Internal, StorageFailed, Cancelled: it stays as it was.

        """
        since = len(self._forgotten)
        procedure = self._memories.get(procedure_id)
        if procedure is None:
            raise NotFound(f"There is no memory {procedure_id[:80]!r}. GET /memory/procedures lists them.")
        lacking = self.refiner.unavailable()
        if lacking is not None:
            raise Conflict(lacking)
        if hides_something(procedure):
            raise Conflict(
                f"A hidden value was typed in memory {procedure_id}: its pictures do not leave this machine."
            )
        film = self._film_of(procedure)
        if film is None:
            raise NotFound(f"The video of memory {procedure_id} is gone, and a refiner sees nothing else.")
        self._ask(procedure, film, range(1, len(procedure.steps) + 1), since)
        return self._memories.get(procedure_id) or procedure

    def forget(self, since: datetime, until: datetime) -> None:
        """Forget what is known here of a stretch, and keep no answer about it that is still on its way.

        To be called before the memories of that stretch are forgotten. Raises ``StorageFailed``.
        """
        with self._lock:
            self._forgotten.append(lambda each: each.ended_at >= since and each.started_at <= until)
            forget_notes(self._file, since, until)

    def forget_memory(self, procedure_id: str) -> None:
        """The same for one memory."""
        with self._lock:
            self._forgotten.append(lambda each: each.id == procedure_id)
        self._drop({procedure_id})

    def _refine_all(self, procedures: Sequence[Procedure], since: int) -> int:
        notes = self._file.read().memories
        wanted = [each for each in procedures if self._wants(each, notes.get(each.id))]
        lacking = self.refiner.unavailable() if wanted else None
        if lacking is not None:
            _LOG.warning("memories are not refined: %s", lacking)
            return 0
        refined = 0
        for at, each in enumerate(wanted):
            try:
                refined += self._try(each, since)
            except DailyCallsSpent as spent:
                _LOG.warning("%d memories wait: %s", len(wanted) - at, spent.message)
                tomorrow = datetime.combine(self._now().date() + timedelta(days=1), datetime.min.time(), UTC)
                for waiting in wanted[at:]:
                    self._note(waiting, since, due=tomorrow)
                break
        return refined

    def _wants(self, procedure: Procedure, note: Note | None) -> bool:
        if not vague_steps(procedure) or hides_something(procedure):
            return False
        if note is None:
            return True
        if note.result:
            return note.result != _hash(procedure)
        return note.due is not None and note.due <= self._now()

    def _try(self, procedure: Procedure, since: int) -> bool:
        """Whether it was refined; what failed is noted."""
        film = self._film_of(procedure)
        if film is None:
            self._drop({procedure.id})
            return False
        try:
            self._ask(procedure, film, vague_steps(procedure), since)
        except (DailyCallsSpent, Cancelled, StorageFailed):
            raise
        except ForgottenMeanwhile:
            return False
        except VaiderError as error:
            self._failed(procedure, since, error)
            return False
        return True

    def _ask(self, procedure: Procedure, film: Path, asked: Sequence[int], since: int) -> None:
        """Ask, and store the answer; ``since`` is the count of forgotten stretches when the procedure was looked up."""
        said = self.refiner.refine(procedure, film, asked, _ProcedureEgressGate(self, procedure, since))
        better, is_usable = refine(procedure, said, asked)
        if not is_usable:
            raise InvalidReply(f"{self.refiner.model} said nothing about the memory that could be kept: try again.")
        with self._lock:
            self._check(procedure, since)
            began = procedure.started_at - timedelta(milliseconds=procedure.start_ms)
            together = self._of_video(procedure.video, began, began + _LONGEST)
            # It may have been read again, or be gone, since the model was asked.
            if procedure not in together:
                return
            self._memories.replace(procedure.video, [better if each == procedure else each for each in together])
        self._note(better, since, result=_hash(better))

    def _is_forgotten(self, procedure: Procedure, since: int) -> bool:
        """Whether it was forgotten since. The caller holds the lock."""
        return any(is_meant(procedure) for is_meant in self._forgotten[since:])

    def _check(self, procedure: Procedure, since: int) -> None:
        if self._is_forgotten(procedure, since):
            raise ForgottenMeanwhile(f"Memory {procedure.id} was forgotten meanwhile.")

    def _of_video(self, video: str, since: datetime, until: datetime) -> list[Procedure]:
        found = self._memories.newest(_MOST_PROCEDURES, since=since - _SECOND, before=until + _SECOND)
        if len(found) == _MOST_PROCEDURES:
            raise Conflict("There are too many memories of one day to change one of them.")
        return sorted((each for each in found if each.video == video), key=lambda each: each.start_ms)

    def _failed(self, procedure: Procedure, since: int, error: VaiderError) -> None:
        note = self._file.read().memories.get(procedure.id)
        failures = min((note.failures if note else 0) + 1, len(LATER) + 1)
        due = self._now() + LATER[failures - 1] if failures <= len(LATER) else None
        _LOG.warning("memory %s was not refined (%d): %s", procedure.id, failures, error.message)
        self._note(procedure, since, failures=failures, due=due)

    def _note(
        self,
        procedure: Procedure,
        since: int,
        *,
        result: str = "",
        failures: int | None = None,
        due: datetime | None = None,
    ) -> None:
        with self._lock:
            if self._is_forgotten(procedure, since):
                return
            notes = self._file.read()
            before = notes.memories.get(procedure.id)
            note = Note(
                began=procedure.started_at,
                ended=procedure.ended_at,
                result=result,
                failures=failures if failures is not None else before.failures if before and not result else 0,
                due=due,
            )
            memories = {
                **{id_: each for id_, each in notes.memories.items() if id_ != procedure.id},
                procedure.id: note,
            }
            for id_ in list(memories)[: max(0, len(memories) - MOST_NOTES)]:
                del memories[id_]
            self._file.write(notes.model_copy(update={"memories": memories}))

    def _drop(self, ids: set[str]) -> None:
        if not ids:
            return
        with self._lock:
            notes = self._file.read()
            kept = {id_: note for id_, note in notes.memories.items() if id_ not in ids}
            self._file.write(notes.model_copy(update={"memories": kept}))

    def let_out(self, procedure: Procedure, since: int, line: Sent) -> None:
        """Count and list one request about a procedure; see ``EgressGate.send``."""
        self._raise_if_cancelled()
        with self._lock:
            self._check(procedure, since)
            notes = self._file.read()
            update = one_more_call(notes.day, notes.calls, self._now().date(), self._most)
            self._file.write(notes.model_copy(update=update))
            self._ledger.add(line)

    def list_outcome(self, procedure: Procedure, since: int, line: Sent) -> None:
        """List the outcome of a request; without its subject if that was forgotten meanwhile."""
        with self._lock:
            if self._is_forgotten(procedure, since):
                nothing = {"memory": None, "video": None, "seen_from": None, "seen_until": None}
                line = line.model_copy(update=nothing)
            self._ledger.add(line)

    def line(self, procedure: Procedure, what: What, times_ms: Sequence[int] = (), **sizes: int) -> Sent:
        """A line for the list of what was sent."""
        begin = procedure.started_at - timedelta(milliseconds=procedure.start_ms)
        return Sent(
            at=self._now(),
            what=what,
            host=self.refiner.host,
            refiner=self.refiner.name,
            model=self.refiner.model,
            memory=procedure.id,
            video=procedure.video,
            seen_from=begin + timedelta(milliseconds=min(times_ms, default=procedure.start_ms)),
            seen_until=begin + timedelta(milliseconds=max(times_ms, default=procedure.end_ms)),
            times_ms=tuple(times_ms[:MOST_TIMES]),
            **sizes,
        )

    def raise_if_cancelled(self) -> None:
        """Raise ``Cancelled`` once the work shall stop."""
        self._raise_if_cancelled()


def forget_notes(file: DocumentFile[Notes], since: datetime, until: datetime) -> None:
    """Forget what is noted of a stretch. Raises ``StorageFailed``."""
    notes = file.read()
    kept = {id_: note for id_, note in notes.memories.items() if note.ended < since or note.began > until}
    if kept != notes.memories:
        file.write(notes.model_copy(update={"memories": kept}))


class _ProcedureEgressGate:
    """Implements ``EgressGate`` for one procedure; ``since`` is the count of forgotten stretches at its start."""

    def __init__(self, refining: MemoryRefining, procedure: Procedure, since: int) -> None:
        self._refining, self._procedure, self._since = refining, procedure, since

    def send(self, what: What, *, times_ms: Sequence[int], size_bytes: int, text_bytes: int) -> None:
        line = self._refining.line(self._procedure, what, times_ms, bytes=size_bytes, text_bytes=text_bytes)
        self._refining.let_out(self._procedure, self._since, line)

    def report_outcome(self, what: What) -> None:
        self._refining.list_outcome(self._procedure, self._since, self._refining.line(self._procedure, what))

    def raise_if_cancelled(self) -> None:
        self._refining.raise_if_cancelled()


def _hash(procedure: Procedure) -> str:
    return hashlib.sha256(procedure.model_dump_json().encode()).hexdigest()[:32]
