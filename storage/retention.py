"""What analyses of uploads are kept, how long, and which go when: each is told a day before."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import sqlalchemy as sa

from core.jobs import JobState
from core.retention import Leaving
from storage.job_events import read_brief
from storage.schema import ANALYSES, JOB_BRIEFS, JOBS, SUBMISSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from storage.database import Database

_FINAL: Final = tuple(state.value for state in JobState if state.is_final)
_NOTICE: Final = timedelta(days=1)
"""So long before it goes, it is told."""
_MOST_LISTED: Final = 500
_MOST_REQUEST_BYTES: Final = 4 << 20
_GOING: Final = ".going-"


class _Kept(NamedTuple):
    id: str
    number: int
    title: str
    folder: Path
    finished_at: datetime
    leaves_at: str | None


class Retention:
    """Of analyses whose pictures and logs lie in the data directory: those of uploads. Videos elsewhere keep theirs.

    What goes is the job with its answer, events and pictures. Nothing of a job that is under way goes, and nothing
    that is pinned. Safe from any thread, but ``sweep`` of one at a time.

    Args:
        database: open.
        owner: the installation whose jobs these are.
        root: below it lie the folders.
        keep_days: after so long an analysis goes; 0 for never.
        keep_bytes: of all folders together; beyond it the oldest go; 0 for no limit.
        clock: the time, with its zone.

    """

    def __init__(
        self,
        database: Database,
        owner: str,
        root: Path,
        *,
        keep_days: float,
        keep_bytes: int,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._owner = owner
        self._root = root
        self._keep_days = keep_days
        self._keep_bytes = keep_bytes
        self._clock = clock

    def leaving(self) -> Sequence[Leaving]:
        """What was told that it goes, the next first."""
        query = (
            sa.select(JOBS.c.id, JOBS.c.leaves_at, JOB_BRIEFS.c.brief)
            .outerjoin(JOB_BRIEFS, JOB_BRIEFS.c.job == JOBS.c.number)
            .where(JOBS.c.owner == self._owner, JOBS.c.leaves_at.is_not(None))
            .order_by(JOBS.c.leaves_at, JOBS.c.number)
            .limit(_MOST_LISTED)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [Leaving(job_id=row.id, title=_title(row.id, row.brief), leaves_at=row.leaves_at) for row in rows]

    def sweep(self) -> tuple[Sequence[Leaving], Sequence[str]]:
        """Remove what was told a day ago and still has to go, and tell what has to go next.

        Returns:
            What is told anew, and the ids of the jobs that went.

        """
        due = self._due()
        now = self._clock()
        gone = [
            job.id
            for job, _ in due.values()
            if job.leaves_at is not None and datetime.fromisoformat(job.leaves_at) <= now and self._remove(job)
        ]
        announced = [
            Leaving(job_id=job.id, title=job.title, leaves_at=_text(max(moment, now + _NOTICE)))
            for job, moment in due.values()
            if job.leaves_at is None
        ]
        with self._database.write() as connection:
            # What has to go no more: a setting was changed, or there is room again.
            kept = sa.and_(JOBS.c.owner == self._owner, JOBS.c.leaves_at.is_not(None), JOBS.c.id.not_in([*due]))
            connection.execute(sa.update(JOBS).where(kept).values(leaves_at=None))
            for each in announced:
                row = sa.update(JOBS).where(JOBS.c.id == each.job_id, JOBS.c.pinned.is_(False))
                connection.execute(row.values(leaves_at=each.leaves_at))
        self._forget_halves()
        return announced, gone

    def pin(self, job_id: str, *, pinned: bool) -> None:
        """Keep a job whatever the settings say, or no more."""
        values = {"pinned": pinned, **({"leaves_at": None} if pinned else {})}
        with self._database.write() as connection:
            mine = sa.and_(JOBS.c.id == job_id, JOBS.c.owner == self._owner)
            connection.execute(sa.update(JOBS).where(mine).values(**values))

    def _due(self) -> Mapping[str, tuple[_Kept, datetime]]:
        """What goes within a day by its age, or is over the limit of bytes by now; and the moment of each."""
        now = self._clock()
        jobs: Sequence[_Kept] = self._kept() if self._keep_days or self._keep_bytes else ()
        found: dict[str, tuple[_Kept, datetime]] = {}
        if self._keep_days:
            for job in jobs:
                moment = job.finished_at + timedelta(days=self._keep_days)
                if moment <= now + _NOTICE:
                    found[job.id] = (job, moment)
        if self._keep_bytes:
            for job in self._over(jobs):
                found.setdefault(job.id, (job, now))
        return found

    def _over(self, jobs: Sequence[_Kept]) -> Iterator[_Kept]:
        """The jobs of the oldest folders, until the rest is within the limit; a folder is as old as its newest job."""
        sizes = {folder: _size(folder) for folder in {job.folder for job in jobs}}
        total = _size(self._root)
        of_folder: dict[Path, list[_Kept]] = {}
        for job in jobs:
            of_folder.setdefault(job.folder, []).append(job)
        for folder, inside in sorted(of_folder.items(), key=lambda each: max(job.number for job in each[1])):
            if total <= self._keep_bytes:
                return
            total -= sizes[folder]
            yield from inside

    def _kept(self) -> Sequence[_Kept]:
        """The analyses that may go, the oldest first: none of a folder in which another one is pinned."""
        other = JOBS.alias()
        pinned = sa.select(other.c.folder).where(other.c.pinned, other.c.folder.is_not(None))
        query = (
            sa.select(JOBS.c.id, JOBS.c.number, JOBS.c.folder, JOBS.c.finished_at, JOBS.c.leaves_at, JOB_BRIEFS.c.brief)
            .outerjoin(JOB_BRIEFS, JOB_BRIEFS.c.job == JOBS.c.number)
            .where(
                JOBS.c.owner == self._owner,
                JOBS.c.state.in_(_FINAL),
                JOBS.c.folder.startswith(f"{self._root}{os.sep}", autoescape=True),
                JOBS.c.folder.not_in(pinned),
            )
            .order_by(JOBS.c.number)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [
            _Kept(
                row.id,
                row.number,
                _title(row.id, row.brief),
                Path(row.folder),
                datetime.fromisoformat(row.finished_at),
                row.leaves_at,
            )
            for row in rows
            if Path(row.folder).parent == self._root
        ]

    def _remove(self, job: _Kept) -> bool:
        """Whether it went: not when it was pinned meanwhile, or its folder is worked in."""
        if job.folder in self._worked_in():
            return False
        with self._database.write() as connection:
            mine = sa.and_(JOBS.c.id == job.id, JOBS.c.pinned.is_(False), JOBS.c.leaves_at == job.leaves_at)
            # Its events and its summary go with it.
            if not connection.execute(sa.delete(JOBS).where(mine)).rowcount:
                return False
            connection.execute(sa.delete(SUBMISSIONS).where(SUBMISSIONS.c.job_id == job.id))
            others = sa.select(JOBS.c.id).where(JOBS.c.folder == str(job.folder)).limit(1)
            is_last = connection.execute(others).first() is None
            if is_last:
                inside = ANALYSES.c.response_path.startswith(f"{job.folder}{os.sep}", autoescape=True)
                connection.execute(sa.delete(ANALYSES).where(ANALYSES.c.owner == self._owner, inside))
        if is_last:
            self._remove_folder(job.folder)
        return True

    def _remove_folder(self, folder: Path) -> None:
        # Out of the way first: whoever asks about the same video now gets a folder of its own.
        aside = self._root / f"{_GOING}{secrets.token_hex(8)}"
        with contextlib.suppress(OSError):
            folder.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)

    def _forget_halves(self) -> None:
        """What a process that ended was about to remove."""
        for folder in self._root.glob(f"{_GOING}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _worked_in(self) -> Collection[Path]:
        """The folders in which jobs that are under way have begun."""
        query = sa.select(JOBS.c.id).where(JOBS.c.owner == self._owner, JOBS.c.state.not_in(_FINAL))
        with self._database.read() as connection:
            running = set(connection.execute(query).scalars())
        if not running:
            return ()
        requests = self._root.glob("*/*_request.json")
        return {request.parent for request in requests if _job_of(request) in running}


def _job_of(request: Path) -> str | None:
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        if request.stat().st_size <= _MOST_REQUEST_BYTES:
            return str(json.loads(request.read_bytes())["job_id"])
    return None


def _size(folder: Path) -> int:
    """Bytes of all files below; links are not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - a walk gives texts
    return total


def _title(job_id: str, brief: str | None) -> str:
    found = read_brief(brief)
    return found.title if found else job_id


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
