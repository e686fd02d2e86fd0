"""What Prometheus reads, in its text format: https://prometheus.io/docs/instrumenting/exposition_formats/.

Written by hand: what is told is either looked up when it is asked for or one count of ours, so that a library would
keep nothing for us but these lines.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from core.jobs import JobState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from starlette.types import Scope

    from storage.job_figures import JobFigures

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS: Final = (0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
"""Seconds: a clip takes some, the longest job half an hour."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_ELSEWHERE: Final = "other"
"""The route of what no route took, as it was refused before or is nowhere: else nonsense makes a row of each."""

Labels = tuple[tuple[str, str], ...]


@dataclass
class Requests:
    """How many requests were answered, by method, route and status. One event loop counts them."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])

    def count(self, scope: Scope, status: int) -> None:
        """One more."""
        method = scope["method"] if scope["method"] in _METHODS else _ELSEWHERE
        path: Any = getattr(scope.get("route"), "path", None)
        self.counts[method, path or _ELSEWHERE, str(status)] += 1


class _Histogram:
    def __init__(self) -> None:
        self._below: Counter[float] = Counter()
        self._sum = 0.0
        self._count = 0

    def observe(self, value: float) -> None:
        self._sum += value
        self._count += 1
        for edge in _BUCKETS:
            self._below[edge] += value <= edge

    def samples(self, labels: Labels) -> Iterator[tuple[str, Labels, float]]:
        for edge in _BUCKETS:
            yield "_bucket", (*labels, ("le", f"{edge:g}")), self._below[edge]
        yield "_bucket", (*labels, ("le", "+Inf")), self._count
        yield "_sum", labels, round(self._sum, 3)
        yield "_count", labels, self._count


class Metrics:
    """Keeps what has to be counted; jobs that ended are looked up when somebody asks. Safe from any thread.

    Args:
        figures: how the jobs stand.
        requests: counted by whoever serves them.

    """

    def __init__(self, figures: JobFigures, requests: Requests) -> None:
        self._figures = figures
        self._requests = requests
        self._ends: Counter[tuple[str, str]] = Counter()
        self._waits: dict[str, _Histogram] = {}
        self._works: dict[str, _Histogram] = {}
        self._lock = threading.Lock()

    def text(self, slots: int) -> str:
        """All of it. Raises ``StorageFailed``."""
        with self._lock:
            for job in self._figures.ended():
                self._ends[job.kind, job.state] += 1
                for kept, seconds in ((self._waits, job.waited), (self._works, job.worked)):
                    if seconds is not None:
                        kept.setdefault(job.kind, _Histogram()).observe(max(seconds, 0.0))
            counts, oldest = self._figures.counts(), self._figures.oldest_waiting()
            return "".join(self._families(counts, oldest, slots))

    def _families(self, counts: Mapping[str, int], oldest: datetime | None, slots: int) -> Iterator[str]:
        waiting, running = counts.get(JobState.QUEUED, 0), counts.get(JobState.RUNNING, 0)
        age = 0.0 if oldest is None else max(0.0, (datetime.now(UTC) - oldest).total_seconds())
        yield _plain("jobs_waiting", "Jobs that wait in line.", waiting)
        yield _plain("oldest_waiting_seconds", "For how long the job waits that came first; 0 when none does.", age)
        yield _plain("slots", "Jobs that can be done at once.", slots)
        yield _plain("slots_busy", "Jobs that are being done.", running)
        states = [("", (("state", state.value),), counts.get(state, 0)) for state in JobState]
        yield _family("jobs", "gauge", "Jobs that are kept, by state.", states)
        ends = [("", (("kind", kind), ("state", state)), count) for (kind, state), count in sorted(self._ends.items())]
        yield _family("jobs_ended_total", "counter", "Jobs that ended since the start of this process.", ends)
        for name, words, found in (
            ("job_wait_seconds", "How long jobs waited before they began.", self._waits),
            ("job_seconds", "How long jobs took once they had begun.", self._works),
        ):
            samples = [one for kind, each in sorted(found.items()) for one in each.samples((("kind", kind),))]
            yield _family(name, "histogram", words, samples)
        requests = [
            ("", (("method", method), ("route", route), ("status", status)), count)
            for (method, route, status), count in sorted(self._requests.counts.items())
        ]
        yield _family("http_requests_total", "counter", "Requests that were answered.", requests)


def _plain(name: str, words: str, value: float) -> str:
    return _family(name, "gauge", words, [("", (), value)])


def _family(name: str, kind: str, words: str, samples: Sequence[tuple[str, Labels, float]]) -> str:
    lines = [f"# HELP vaider_{name} {words}", f"# TYPE vaider_{name} {kind}"]
    lines += [f"vaider_{name}{suffix}{_labelled(labels)} {value:.12g}" for suffix, labels, value in samples]
    return "\n".join(lines) + "\n"


def _labelled(labels: Labels) -> str:
    # What stands in quotes is escaped: a backslash, a quote, a line's end.
    escaped = [(name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for name, value in labels]
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}" if labels else ""
