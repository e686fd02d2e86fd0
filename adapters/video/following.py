"""Watches a film that is still being recorded, and tells what it amounts to so far."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Final

from adapters.video.observation import Observation, Watch
from adapters.video.partial import Pace
from adapters.video.text.letters import PAUSE_MS
from core.analysis import Findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.frame import Frame
    from adapters.video.ocr.reader import Reader

_RESTS_MS: Final = (350, 1200)
"""When a picture that nothing follows is looked at again: once it has settled, and once it is plain that what moved
and whoever typed has stopped."""
_LATE_MS: Final = 250
"""How much later than it was taken a picture may come."""
_REPORT_EVERY_SECONDS: Final = 1.0
_USUAL_MS: Final = 500.0
_GAPS: Final = 64


class Follower:
    """Turns frames that are still coming into findings. No picture of them is kept.

    Args:
        reader: finds and reads text.
        report: called with the findings so far and the milliseconds that they cover, soon after anything was read, but
            not more often than once a second, and less often the longer that takes.
        clock: seconds.

    """

    def __init__(
        self,
        *,
        reader: Reader,
        report: Callable[[Findings, int], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reader = reader
        self._watch = Watch()
        self._observation: Observation | None = None
        self._report = report
        self._clock = clock
        self._gaps: deque[float] = deque(maxlen=_GAPS)
        self._now_ms = 0
        self._unreported = False
        self._pace = Pace(_REPORT_EVERY_SECONDS, clock)

    def follow(self, frames: Iterable[Frame | None]) -> tuple[Findings, int]:
        """Watch to the end; blocks.

        Args:
            frames: in order, with ``None`` a few times a second while none comes.

        Returns:
            the findings and the milliseconds of the whole.

        """
        for frame in self._with_rests(frames):
            observation = self._observation
            if observation is None:
                if frame is not None:
                    height, width = frame.luma.shape
                    self._observation = Observation(self._reader, _keep_none, (width, height))
                    self._watch.feed(frame)
                continue
            if frame is not None:
                self._take(frame, observation)
            if self._unreported and self._pace.is_due:
                self._report_so_far(observation)
        if self._observation is None:
            return Findings(sightings=()), 0
        self._observation.take(self._watch.finish())
        self._observation.catch_up()
        return self._observation.findings(self._watch, frame_ms=self._frame_ms), self._now_ms

    def _take(self, frame: Frame, observation: Observation) -> None:
        self._now_ms = frame.t_ms
        read = observation.take(self._watch.feed(frame))
        caught_up = observation.catch_up(until_ms=frame.t_ms - PAUSE_MS)
        self._unreported = self._unreported or read or caught_up

    def _report_so_far(self, observation: Observation) -> None:
        with self._pace.composing():
            self._report(observation.findings_so_far(self._watch, frame_ms=self._frame_ms), self._now_ms)
        self._unreported = False

    def _with_rests(self, frames: Iterable[Frame | None]) -> Iterator[Frame | None]:
        """The frames, and those that stood for long once more: time alone lets a picture settle.

        Recorders leave out what shows nothing new. Where the next frame is known, its time says how long the one
        before stood, so that what is found does not depend on when it was read.
        """
        last: Frame | None = None
        came = self._clock()
        rests = deque[int]()
        for frame in frames:
            if last is not None:
                stood_ms = (self._clock() - came) * 1000 if frame is None else frame.t_ms - last.t_ms
                while rests and stood_ms >= rests[0] + _LATE_MS:
                    yield replace(last, t_ms=last.t_ms + rests.popleft())
                if frame is not None and stood_ms < _RESTS_MS[0] + _LATE_MS:
                    self._gaps.append(stood_ms)
            if frame is None:
                yield None
                continue
            # What was looked at again may have been put later than it was.
            last = replace(frame, t_ms=max(frame.t_ms, self._now_ms))
            came, rests = self._clock(), deque(_RESTS_MS)
            yield last

    @property
    def _frame_ms(self) -> float:
        return median(self._gaps) if self._gaps else _USUAL_MS


def _keep_none(frame: Frame, bgr: NDArray[np.uint8]) -> None:
    del frame, bgr
