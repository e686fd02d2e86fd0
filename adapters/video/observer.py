"""Watches the frames of one video and tells what happened: the offline analyser's eyes."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from adapters.video.motion.watch import Watch
from adapters.video.observation import Observation
from core.analysis import Findings
from core.jobs import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from adapters.video.frame import Frame
    from adapters.video.motion.activity import Settled
    from adapters.video.ocr.reader import Reader
    from adapters.video.pictures import Pictures

_WAITING: Final = 2
"""So many settled screens may wait for the reader; each holds one full frame."""
_REPORT_EVERY_MS: Final = 200


class Observer:
    """Turns frames into findings.

    Decoding and the search for changes run in the caller's thread, reading in a second one; both do their heavy work
    outside the interpreter's lock.

    Args:
        reader: finds and reads text.
        pictures: keeps the frames that events name.
        report: is told how far the work is (stage, milliseconds done, milliseconds in total); what it raises stops
            the work and is raised here.

    """

    def __init__(self, *, reader: Reader, pictures: Pictures, report: Callable[[Stage, int, int], None]) -> None:
        self._reader = reader
        self._pictures = pictures
        self._report = report

    def observe(
        self, frames: Iterable[Frame], *, width: int, height: int, duration_ms: int, fps: float | None
    ) -> Findings:
        """Watch all frames; blocks until done.

        Args:
            frames: in order, all of one size.
            width: of the upright picture, in pixels.
            height: likewise.
            duration_ms: of the whole clip, for progress.
            fps: the average frame rate, ``None`` when unknown.

        """
        observation = Observation(self._reader, self._pictures.keep, (width, height))

        def read(settled: list[Settled]) -> None:
            observation.take(settled)

        watch = Watch()
        with _Worker(read) as worker:
            self._watch(frames, watch, worker, duration_ms)
            self._report(Stage.READING, duration_ms, duration_ms)
        observation.catch_up()
        if watch.is_empty:
            return Findings(sightings=())
        found = observation.findings(watch.unrests, frame_ms=1000 / (fps or 25), end_ms=duration_ms)
        named = (found.first_frame, *(event.frame for event in found.timeline))
        used = {*named, *(one.frame for one in found.sightings or ())}
        self._pictures.drop_all_but({name for name in used if name})
        return found

    def _watch(self, frames: Iterable[Frame], watch: Watch, worker: _Worker, duration_ms: int) -> None:
        told_ms: int | None = None
        for frame in frames:
            worker.put(watch.feed(frame))
            if told_ms is None:
                told_ms = frame.t_ms
            elif frame.t_ms - told_ms >= _REPORT_EVERY_MS:
                told_ms = frame.t_ms
                self._report(Stage.DECODING, told_ms, duration_ms)
        worker.put(watch.finish())


@dataclass(slots=True)
class _Failure:
    error: BaseException | None = None


class _Worker:
    """Does the reading in order, one step behind; an error there is raised at the next ``put`` or at the end."""

    def __init__(self, work: Callable[[list[Settled]], None]) -> None:
        self._work = work
        self._jobs: queue.Queue[list[Settled] | None] = queue.Queue(_WAITING)
        self._failure = _Failure()
        self._thread = threading.Thread(target=self._run, name="reading", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._failure.error = self._failure.error or error
        self._jobs.put(None)
        self._thread.join()
        if error is None and self._failure.error is not None:
            raise self._failure.error

    def put(self, settled: list[Settled]) -> None:
        """Hand over; waits while too much is in line."""
        if self._failure.error is not None:
            raise self._failure.error
        if settled:
            self._jobs.put(settled)

    def _run(self) -> None:
        while (settled := self._jobs.get()) is not None:
            if self._failure.error is None:
                try:
                    self._work(settled)
                except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
                    self._failure.error = error
            del settled  # its pictures would be held until the next is there
