"""The jobs that wait, in order; a place in line is computed when somebody asks for it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_FRONT = 10
"""So many places are told to viewers of all jobs: a line of thousands would send each of them thousands of events."""


class WaitingJobs:
    """A queue of ids. One thread changes it; any thread may ask for a place, in logarithmic time."""

    def __init__(self) -> None:
        self._counter = count()
        self._numbers: dict[str, int] = {}
        self._order: list[int] = []
        self._ids: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._order)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._numbers

    def append(self, job_id: str) -> None:
        """Put a job at the end."""
        number = next(self._counter)
        self._numbers[job_id] = number
        self._ids[number] = job_id
        self._order.append(number)

    def pop(self) -> str:
        """Take the next job out."""
        job_id = self._ids[self._order[0]]
        self.remove(job_id)
        return job_id

    def remove(self, job_id: str) -> None:
        """Take a job out, wherever it stands."""
        number = self._numbers.pop(job_id)
        del self._order[bisect_left(self._order, number)]
        del self._ids[number]

    def place(self, job_id: str) -> int | None:
        """The job's place, 1 = next; ``None`` when it does not wait."""
        number = self._numbers.get(job_id)
        return None if number is None else bisect_left(self._order, number) + 1

    def front(self) -> Mapping[str, int]:
        """The first jobs and their places."""
        first = ((self._ids.get(number), place) for place, number in enumerate(self._order[:_FRONT], 1))
        return {job_id: place for job_id, place in first if job_id is not None}
