"""Watches the frames of one video and tells what happened: the offline analyser's eyes."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from adapters.video.motion.activity import Activity
from adapters.video.text.areas import AreaReader
from adapters.video.text.lines import in_order
from adapters.video.text.screen import Screen
from adapters.video.timeline.events import compose, sightings
from core.analysis import Findings
from core.jobs import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from adapters.video.frame import Frame
    from adapters.video.motion.activity import Settled
    from adapters.video.ocr.reader import Reader
    from adapters.video.pictures import Pictures
    from adapters.video.text.screen import Draft

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
        screen = Screen(AreaReader(self._reader, min(width, height)), self._pictures.keep)
        drafts: list[Draft] = []
        with _Worker(lambda settled: drafts.extend(screen.take(settled))) as worker:
            activity = self._watch(frames, worker, duration_ms)
            self._report(Stage.READING, duration_ms, duration_ms)
        drafts += screen.catch_up()
        if activity is None:
            return Findings(sightings=())
        timeline = compose(drafts, activity.finished_unrests, size=(width, height), frame_ms=1000 / (fps or 25))
        lines = [line for line in [*screen.gone, *screen.lines] if not line.false]
        firsts = [draft for draft in drafts if draft.first and draft.t_ms == drafts[0].t_ms]
        first_frame = firsts[0].frame if firsts else None
        seen = sightings(lines)
        first_screen = tuple(line.text for line in in_order([line for line in lines if line.t_ms == 0]))
        used = {
            name for name in (first_frame, *(event.frame for event in timeline), *(one.frame for one in seen)) if name
        }
        self._pictures.drop_all_but(used)
        return Findings(timeline=timeline, first_screen=first_screen, first_frame=first_frame, sightings=seen)

    def _watch(self, frames: Iterable[Frame], worker: _Worker, duration_ms: int) -> Activity | None:
        stream: Iterator[Frame] = iter(frames)
        first = next(stream, None)
        if first is None:
            return None
        activity = Activity(first)
        shape = first.luma.shape
        end_ms = told_ms = first.t_ms
        del first  # it would be held to the clip's end
        for frame in stream:
            if frame.luma.shape != shape:
                continue
            worker.put(list(activity.feed(frame)))
            end_ms = frame.t_ms
            if end_ms - told_ms >= _REPORT_EVERY_MS:
                told_ms = end_ms
                self._report(Stage.DECODING, end_ms, duration_ms)
        worker.put(list(activity.finish()))
        return activity


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
