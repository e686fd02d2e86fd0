"""Who submitted which job, and under which label; several may have asked for the same job. Limits are kept here."""

from __future__ import annotations

import math
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.errors import Throttled, TooLarge
from core.jobs import JobState
from core.tokens import Limits
from storage.schema import JOBS, PROMISES, SUBMISSIONS, TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from storage.database import Database

_MOST: Final = 10_000
"""Of a filter's newest submissions so many are looked at."""
_ENTERING: Final = "entering-"
"""How the id begins that stands for a job while its video comes."""
_ENTERS_HOURS: Final = 1
"""What has not become a job by then was left by a process that ended."""
_PROMISED_SECONDS: Final = 120
"""For so long after its moment a promised place is kept."""
_MOST_PROMISES: Final = 1000
_LAST_ENDED: Final = 20
_USUAL_SECONDS: Final = 5.0
_LONGEST_STEP_SECONDS: Final = 60.0
_LIMITS: Final = Limits()


class Submissions:
    """Safe from any thread.

    Args:
        database: open.
        owner: the installation whose jobs these are.
        slots: how many jobs are done at once.
        clock: the time, with its zone.

    """

    def __init__(
        self,
        database: Database,
        owner: str,
        *,
        slots: int = 1,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._owner = owner
        self._slots = slots
        self._clock = clock
        self._mine = SUBMISSIONS.c.owner == owner

    def enter(self, submitter: str, size: int, limits: Limits = _LIMITS) -> str:
        """Take a place for a job that is about to be made, with so many bytes of video.

        It is checked and noted in one transaction: of several requests at once no more get in than may.

        Returns:
            The name of the place, for ``settle`` or ``leave``.

        Raises:
            Throttled: a limit of the token is reached. Who comes back after ``retry_after`` seconds gets in: the place
                is promised.
            TooLarge: a day's bytes would not do for it.

        """
        place = f"{_ENTERING}{secrets.token_hex(8)}"
        with self._database.write() as connection:
            self._lock(connection, submitter, limits)
            refusal = self._refusal(connection, submitter, size, limits)
            if refusal is None:
                row = {"job_id": place, "submitter": submitter, "label": "", "size": size, "owner": self._owner}
                connection.execute(sa.insert(SUBMISSIONS).values(**row, submitted_at=_text(self._clock())))
        if refusal is not None:
            # Outside of the transaction: what was promised stays.
            raise refusal
        return place

    def check(self, place: str, submitter: str, size: int, limits: Limits) -> None:
        """Note how large a video has turned out that did not say so before. Raises as ``enter``."""
        with self._database.write() as connection:
            self._lock(connection, submitter, limits)
            # Its own row is counted by what was announced.
            known = connection.execute(sa.select(SUBMISSIONS.c.size).where(SUBMISSIONS.c.job_id == place)).scalar() or 0
            refusal = self._over_bytes(connection, submitter, size - known, limits) if size > known else None
            if refusal is None:
                connection.execute(sa.update(SUBMISSIONS).where(SUBMISSIONS.c.job_id == place).values(size=size))
        if refusal is not None:
            raise refusal

    def settle(self, place: str, job_id: str, label: str, size: int) -> None:
        """The place has become a job's, with so many bytes of video."""
        with self._database.write() as connection:
            row = sa.update(SUBMISSIONS).where(SUBMISSIONS.c.job_id == place)
            connection.execute(row.values(job_id=job_id, label=label, size=size))

    def leave(self, place: str) -> None:
        """Nothing came of it."""
        with self._database.write() as connection:
            connection.execute(sa.delete(SUBMISSIONS).where(SUBMISSIONS.c.job_id == place))

    def is_by(self, job_id: str, submitter: str) -> bool:
        """Whether that submitter asked for the job."""
        asked = sa.select(SUBMISSIONS.c.number).where(
            self._mine, SUBMISSIONS.c.job_id == job_id, SUBMISSIONS.c.submitter == submitter
        )
        with self._database.read() as connection:
            return connection.execute(asked.limit(1)).first() is not None

    def jobs(self, *, submitter: str | None, label: str | None) -> Collection[str]:
        """The ids of the newest jobs of a submitter, of a label, or of both."""
        query = sa.select(SUBMISSIONS.c.job_id).where(self._mine).order_by(SUBMISSIONS.c.number.desc()).limit(_MOST)
        if submitter is not None:
            query = query.where(SUBMISSIONS.c.submitter == submitter)
        if label is not None:
            query = query.where(SUBMISSIONS.c.label == label)
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    def of(self, job_ids: Collection[str]) -> Mapping[str, tuple[str, str]]:
        """Of jobs, who submitted each first, and the first label it got; those of nobody and of none are left out."""
        query = sa.select(SUBMISSIONS.c.job_id, SUBMISSIONS.c.submitter, SUBMISSIONS.c.label)
        query = query.where(self._mine, SUBMISSIONS.c.job_id.in_(job_ids)).order_by(SUBMISSIONS.c.number)
        found: dict[str, tuple[str, str]] = {}
        with self._database.read() as connection:
            for job_id, submitter, label in connection.execute(query):
                known = found.get(job_id, ("", ""))
                found[job_id] = (known[0] or submitter, known[1] or label)
        return found

    def _lock(self, connection: sa.Connection, submitter: str, limits: Limits) -> None:
        """On a server, one request of a token at a time; SQLite has one writer anyway."""
        if limits != _LIMITS:
            row = sa.select(TOKENS.c.key).where(TOKENS.c.owner == self._owner, TOKENS.c.name == submitter)
            connection.execute(row.with_for_update())

    def _refusal(
        self, connection: sa.Connection, submitter: str, size: int, limits: Limits
    ) -> Throttled | TooLarge | None:
        over = self._over_bytes(connection, submitter, size, limits)
        if over is not None or limits.waiting is None:
            return over
        now_ms = round(self._clock().timestamp() * 1000)
        promised = self._take_promise(connection, submitter, now_ms)
        waiting = self._waiting(connection, submitter)
        if promised or waiting < limits.waiting:
            return None
        after = self._promise(connection, submitter, now_ms)
        return Throttled(
            f"{waiting} jobs of the token {submitter!r} wait, and {limits.waiting} may: "
            f"ask again in {after} s, then there is a place for it.",
            retry_after=after,
        )

    def _over_bytes(
        self, connection: sa.Connection, submitter: str, size: int, limits: Limits
    ) -> Throttled | TooLarge | None:
        if limits.bytes_a_day is None:
            return None
        if size > limits.bytes_a_day:
            return TooLarge(f"The video is over what the token {submitter!r} may send a day; send a shorter one.")
        now = self._clock()
        midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        sent = sa.select(sa.func.sum(SUBMISSIONS.c.size)).where(
            self._mine, SUBMISSIONS.c.submitter == submitter, SUBMISSIONS.c.submitted_at >= _text(midnight)
        )
        used = int(connection.execute(sent).scalar() or 0)
        if used + size <= limits.bytes_a_day:
            return None
        after = math.ceil((midnight + timedelta(days=1) - now).total_seconds())
        return Throttled(
            f"The token {submitter!r} has sent {used:,} of its {limits.bytes_a_day:,} bytes of today, and this is "
            f"{size:,}: send it after midnight UTC, in {after} s.",
            retry_after=after,
        )

    def _waiting(self, connection: sa.Connection, submitter: str) -> int:
        """How many of its jobs wait, or are on their way here."""
        queued = sa.select(sa.func.count()).where(
            JOBS.c.owner == self._owner, JOBS.c.state == JobState.QUEUED.value, JOBS.c.submitter == submitter
        )
        since = _text(self._clock() - timedelta(hours=_ENTERS_HOURS))
        entering = sa.select(sa.func.count()).where(
            self._mine,
            SUBMISSIONS.c.submitter == submitter,
            SUBMISSIONS.c.submitted_at > since,
            SUBMISSIONS.c.job_id.startswith(_ENTERING),
        )
        return sum(int(connection.execute(query).scalar() or 0) for query in (queued, entering))

    def _take_promise(self, connection: sa.Connection, submitter: str, now_ms: int) -> bool:
        """Whether a place was promised that is due; it is used up."""
        own = sa.and_(PROMISES.c.owner == self._owner, PROMISES.c.submitter == submitter)
        stale = now_ms - 1000 * _PROMISED_SECONDS
        connection.execute(sa.delete(PROMISES).where(own, PROMISES.c.due_ms < stale))
        due = sa.select(PROMISES.c.number).where(own, PROMISES.c.due_ms <= now_ms).order_by(PROMISES.c.due_ms).limit(1)
        number = connection.execute(due).scalar()
        if number is None:
            return False
        connection.execute(sa.delete(PROMISES).where(PROMISES.c.number == number))
        return True

    def _promise(self, connection: sa.Connection, submitter: str, now_ms: int) -> int:
        """In how many seconds a place is there: one after the other, as fast as jobs end."""
        own = sa.and_(PROMISES.c.owner == self._owner, PROMISES.c.submitter == submitter)
        last, count = connection.execute(sa.select(sa.func.max(PROMISES.c.due_ms), sa.func.count()).where(own)).one()
        step_ms = 1000 * self._seconds_a_place(connection)
        after = max(1, math.ceil((max(last or 0, now_ms) + step_ms - now_ms) / 1000))
        if count < _MOST_PROMISES:
            row = {"owner": self._owner, "submitter": submitter, "due_ms": now_ms + 1000 * after}
            connection.execute(sa.insert(PROMISES).values(**row))
        return after

    def _seconds_a_place(self, connection: sa.Connection) -> float:
        """How long it takes until one of a submitter's jobs has left the line, while all take turns."""
        mine = JOBS.c.owner == self._owner
        newest = (
            sa.select(JOBS.c.begun_at, JOBS.c.finished_at)
            .where(mine, JOBS.c.state == JobState.DONE.value, JOBS.c.begun_at.is_not(None))
            .order_by(JOBS.c.number.desc())
            .limit(_LAST_ENDED)
        )
        took = [
            (datetime.fromisoformat(ended) - datetime.fromisoformat(begun)).total_seconds()
            for begun, ended in connection.execute(newest)
        ]
        usual = sum(took) / len(took) if took else _USUAL_SECONDS
        queued = sa.select(sa.func.count(sa.distinct(JOBS.c.submitter)))
        sharing = connection.execute(queued.where(mine, JOBS.c.state == JobState.QUEUED.value)).scalar() or 1
        return min(max(usual, 0.0) * sharing / self._slots, _LONGEST_STEP_SECONDS)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
