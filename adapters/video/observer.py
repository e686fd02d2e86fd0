"""Watches the frames of one video and tells what happened: the offline analyser's eyes.

The folders of ``adapters/video`` in the order in which a video passes them; the first two are one thread, OCR and text
another:

- ``decoding``: the container, its size and length, the content hash; then upright frames with their times.
- ``motion``: 8 x 8 blocks that changed, and when each place comes to rest. The mouse pointer is painted out, and
  scrolled content is followed.
- ``ocr``: where lines stand in a picture, and what each says.
- ``text``: what changed is read, but not ink that was read before. Lines are matched: which came, went, changed, moved.
- ``timeline``: at the end, parts of one thing become one event, letters become typing, endless motion becomes ``busy``,
  clocks are left out; then each event becomes a sentence.

``process`` runs this in a child process. ``local``, ``probe``, ``conversion`` and ``segments`` are what others call.
"""

from __future__ import annotations

import os
import queue
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

import cv2

from adapters.video.observation import Observation, Watch
from adapters.video.partial import Pace, Parts
from core.analysis import Findings
from core.errors import StorageFailed
from core.jobs import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.frame import Frame
    from adapters.video.motion.settled import Settled
    from adapters.video.ocr.reader import Reader
    from core.analysis import FindingsSoFar


_QUALITY = 82
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class Pictures:
    """Writes frames into one folder, each moment once.

    Args:
        directory: an existing folder.
        prefix: what each file name begins with.
        relative: the folder as the answer names it.

    """

    directory: Path
    prefix: str
    relative: str
    _names: dict[int, str] = field(default_factory=dict[int, str])

    def keep(self, frame: Frame, bgr: NDArray[np.uint8]) -> str:
        """Write the frame as JPEG; returns the path that an event names. Raises ``StorageFailed``."""
        name = self._names.get(frame.t_ms)
        if name is None:
            name = f"{self.prefix}{frame.t_ms:07d}.jpg"
            try:
                self._write(name, cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())
            except OSError as error:
                raise StorageFailed(
                    f"{self.directory} cannot be written: {error.strerror or error}. "
                    "Free some space, or check the folder's rights, and ask again."
                ) from None
            self._names[frame.t_ms] = name
        return f"{self.relative}/{name}" if self.relative else name

    def _write(self, name: str, data: bytes) -> None:
        """Write a file that is there whole or not at all, and through no link that lay in its place."""
        unfinished = self.directory / f".{name}.part"
        unfinished.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(unfinished, _NEW, 0o600), "wb") as file:
                file.write(data)
            unfinished.replace(self.directory / name)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    def drop_all_but(self, used: set[str]) -> None:
        """Delete the pictures that nothing names any more."""
        for t_ms, name in list(self._names.items()):
            if (f"{self.relative}/{name}" if self.relative else name) not in used:
                (self.directory / name).unlink(missing_ok=True)
                del self._names[t_ms]


_WAITING: Final = 2
"""So many settled screens may wait for the reader; each holds one full frame."""
_REPORT_EVERY_MS: Final = 200
_PUBLISH_EVERY_SECONDS: Final = 0.5


class Observer:
    """Turns frames into findings.

    Decoding and the search for changes run in the caller's thread, reading in a second one; both do their heavy work
    outside the interpreter's lock.

    Args:
        reader: finds and reads text.
        pictures: keeps the frames that events name.
        report: is told how far the work is (stage, milliseconds done, milliseconds in total); what it raises stops
            the work and is raised here.
        publish: is told what is found, part by part, in the thread that reads.

    """

    def __init__(
        self,
        *,
        reader: Reader,
        pictures: Pictures,
        report: Callable[[Stage, int, int], None],
        publish: Callable[[FindingsSoFar], None] | None = None,
    ) -> None:
        self._reader = reader
        self._pictures = pictures
        self._report = report
        self._publish = publish

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
        watch, pace, parts, frame_ms = Watch(), Pace(_PUBLISH_EVERY_SECONDS), Parts(duration_ms), 1000 / (fps or 25)

        def read(settled: list[Settled]) -> None:
            if observation.take(settled) and self._publish is not None and pace.is_due:
                with pace.composing():
                    so_far = observation.findings_so_far(watch, frame_ms=frame_ms)
                    part = parts.next(so_far, settled[-1].seen_ms)
                    if part is not None:
                        self._publish(part)

        with _Worker(read) as worker:
            self._watch(frames, watch, worker, duration_ms)
            self._report(Stage.READING, duration_ms, duration_ms)
        observation.catch_up()
        if watch.is_empty:
            return Findings(sightings=())
        found = observation.findings(watch, frame_ms=frame_ms, end_ms=duration_ms)
        named = (found.first_frame, *(event.frame for event in found.timeline))
        used = {*named, *(one.frame for one in found.sightings or ())}
        self._pictures.drop_all_but({name for name in used if name})
        return found

    def _watch(self, frames: Iterable[Frame], watch: Watch, worker: _Worker, duration_ms: int) -> None:
        reported_ms: int | None = None
        for frame in frames:
            worker.put(watch.feed(frame))
            if reported_ms is None:
                reported_ms = frame.t_ms
            elif frame.t_ms - reported_ms >= _REPORT_EVERY_MS:
                reported_ms = frame.t_ms
                self._report(Stage.DECODING, reported_ms, duration_ms)
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
