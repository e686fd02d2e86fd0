"""The jobs that wait: who runs least goes first, and of one submitter who came first."""

from __future__ import annotations

import heapq
import threading
from bisect import bisect_left
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_FRONT: Final = 10
"""So many places are sent to viewers of all jobs: a line of thousands would send each of them thousands of events."""


class WaitingJobs:
    """A line of ids for each submitter, which take turns. Any thread may ask for a place.

    Where all jobs are one submitter's, as on a laptop, it is a plain queue.
    """

    def __init__(self) -> None:
        self._counter = count()
        self._newest = 0
        self._lines: dict[str, list[int]] = {}
        """Of each submitter the numbers of its jobs, rising; none is empty."""
        self._ids: dict[int, str] = {}
        self._numbers: dict[str, tuple[str, int]] = {}
        self._running: Counter[str] = Counter()
        self._runners: dict[str, str] = {}
        self._turns: dict[str, int] = {}
        """When each submitter had its last turn, as long as it has jobs here."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._numbers

    def append(self, job_id: str, submitter: str = "") -> None:
        """Put a job behind its submitter's others."""
        with self._lock:
            self._newest = number = next(self._counter)
            self._numbers[job_id] = (submitter, number)
            self._ids[number] = job_id
            self._lines.setdefault(submitter, []).append(number)

    def pop(self) -> str:
        """Take the next job out; it counts as running until it has ``ended``."""
        with self._lock:
            submitter = min(self._lines, key=lambda each: (self._running[each], *self._rank(each)))
            job_id = self._ids[self._lines[submitter][0]]
            self._remove(job_id)
            self._begin(job_id, submitter)
            return job_id

    def began(self, job_id: str, submitter: str) -> None:
        """A job runs that did not wait here."""
        with self._lock:
            self._begin(job_id, submitter)

    def ended(self, job_id: str) -> None:
        """A job runs no more."""
        with self._lock:
            submitter = self._runners.pop(job_id, None)
            if submitter is not None:
                self._running[submitter] -= 1
                self._forget(submitter)

    def remove(self, job_id: str) -> None:
        """Take a job out, wherever it stands."""
        with self._lock:
            self._forget(self._remove(job_id))

    def place(self, job_id: str) -> int | None:
        """The job's place, 1 = next; ``None`` when it does not wait. Others may come and go before it."""
        with self._lock:
            found = self._numbers.get(job_id)
            return None if found is None else self._place(found[0], bisect_left(self._lines[found[0]], found[1]))

    def next_place(self, submitter: str) -> int:
        """The place that a job of this submitter would get now."""
        with self._lock:
            return self._place(submitter, len(self._lines.get(submitter, ())))

    def front(self) -> Mapping[str, int]:
        """The first jobs and their places."""
        with self._lock:
            heads = [(self._running[each], self._rank(each), each, 0) for each in self._lines]
            heapq.heapify(heads)
            found: dict[str, int] = {}
            while heads and len(found) < _FRONT:
                running, rank, submitter, at = heapq.heappop(heads)
                line = self._lines[submitter]
                found[self._ids[line[at]]] = len(found) + 1
                if at + 1 < len(line):
                    heapq.heappush(heads, (running + 1, rank, submitter, at + 1))
            return found

    def _place(self, submitter: str, before: int) -> int:
        """Of the job that has so many of its submitter's before it; counted as if each start lasted."""
        level, rank = self._running[submitter] + before, self._rank(submitter)
        place = before + 1
        for other, line in self._lines.items():
            if other != submitter:
                ahead = level - self._running[other] + (self._rank(other) < rank)
                place += min(max(ahead, 0), len(line))
        return place

    def _rank(self, submitter: str) -> tuple[int, int]:
        """Of those that run as many: whose last turn is longest ago, then who came first."""
        line = self._lines.get(submitter)
        return self._turns.get(submitter, -1), line[0] if line else self._newest + 1

    def _begin(self, job_id: str, submitter: str) -> None:
        self._runners[job_id] = submitter
        self._running[submitter] += 1
        self._turns[submitter] = next(self._counter)

    def _remove(self, job_id: str) -> str:
        submitter, number = self._numbers.pop(job_id)
        line = self._lines[submitter]
        del line[bisect_left(line, number)]
        if not line:
            del self._lines[submitter]
        del self._ids[number]
        return submitter

    def _forget(self, submitter: str) -> None:
        if not self._running[submitter]:
            del self._running[submitter]
            if submitter not in self._lines:
                self._turns.pop(submitter, None)
