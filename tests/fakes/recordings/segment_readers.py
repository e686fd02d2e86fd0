"""A reader of segments that sees what it is shown, when it is shown it."""

import threading
import time
from collections.abc import Callable

from core.analysis import Findings
from core.recording.recordings import Segment

BOUND_SECONDS = 10.0


class ShownReader:
    """Implements ``core.memories.ports.SegmentReader``; a segment it was never shown is empty."""

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._shown: dict[str, list[tuple[Findings, int]]] = {}
        self.failures: dict[str, list[Exception]] = {}
        """What following a segment raises, at one time after the other."""
        self.begun: list[str] = []
        """Ids of segments, each time one was begun."""
        self.left: list[str] = []
        """The same, each time one was left, for whatever reason."""
        self.most_at_once = 0
        self.held: set[str] = set()
        """Segments that are read slowly: never to their end, until they are taken out."""

    def show(self, segment_id: str, findings: Findings, until_ms: int) -> None:
        """From now on so much is to be seen of it."""
        with self._state:
            self._shown.setdefault(segment_id, []).append((findings, until_ms))
            self._state.notify_all()

    def release(self, segment_id: str) -> None:
        """Read it to its end."""
        with self._state:
            self.held.discard(segment_id)
            self._state.notify_all()

    def wait(self, is_so: Callable[[], bool]) -> None:
        """Until it is."""
        deadline = time.monotonic() + BOUND_SECONDS
        with self._state:
            while not is_so():
                left = deadline - time.monotonic()
                assert left > 0, (self.begun, self.left)
                self._state.wait(min(left, 0.02))

    def follow(
        self, segment: Segment, report: Callable[[Findings, int], None], is_ended: Callable[[], bool]
    ) -> tuple[Findings, int]:
        with self._state:
            self.begun.append(segment.id)
            self.most_at_once = max(self.most_at_once, len(self.begun) - len(self.left))
            self._state.notify_all()
        try:
            return self._follow(segment.id, report, is_ended)
        finally:
            with self._state:
                self.left.append(segment.id)
                self._state.notify_all()

    def _follow(
        self, segment_id: str, report: Callable[[Findings, int], None], is_ended: Callable[[], bool]
    ) -> tuple[Findings, int]:
        reported, newest = 0, (Findings(sightings=()), 0)
        while True:
            ended = is_ended()
            with self._state:
                shown = self._shown.get(segment_id, [])[reported:]
                held = segment_id in self.held
                failures = self.failures.get(segment_id)
                if failures:
                    raise failures.pop(0)
            for newest in shown:
                report(*newest)
                reported += 1
            if ended and not held and not shown:
                return newest
            with self._state:
                self._state.wait(0.01)
