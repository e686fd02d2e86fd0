"""The usual ways to find out what happened in a video, to compare with: scene filters, sampling, reading everything."""

import functools
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from adapters.video.ocr.reader import TextReader
from core.analysis import Event, EventKind

READ_AT_MOST = 16
CHANGED_PIXELS = 3
CHANGED_BY = 40
"""A frame has changed when this many pixels differ by this much in brightness; finds every typed letter."""


def scene_filter(path: Path, threshold: float) -> list[Event]:
    """The frames that ffmpeg's scene filter takes for a new scene, as changes without words."""
    select = f"select='gt(scene,{threshold})',metadata=print:file=-"
    command = ["ffmpeg", "-loglevel", "error", "-i", str(path), "-an", "-vf", select, "-f", "null", "-"]
    sentence = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [_event(float(seconds), EventKind.CHANGED, None) for seconds in re.findall(r"pts_time:([\d.]+)", sentence)]


@functools.cache
def sampling(path: Path, per_second: float = 1.0) -> tuple[Event, ...]:
    """Frames at a slow rate, each read whole; the lines that came and went between two are the events."""
    events: list[Event] = []
    due, before = 0.0, None
    for seconds, picture in _frames(path):
        if seconds + 1e-6 < due:
            continue
        due += 1 / per_second
        lines = read(picture)
        if before is not None:
            events += _difference(seconds, before, lines)
        before = lines
    return tuple(events)


def seconds_to_read_changed_frames(path: Path) -> float:
    """The time to read each frame whole that differs from the one before.

    Decoding and comparing are timed in full; of the changed frames at most ``READ_AT_MOST``, evenly spread, are read,
    and their mean time stands for all: a film of ten seconds would take four minutes.
    """
    began = time.monotonic()
    changed: list[int] = []
    before: NDArray[np.int16] | None = None
    for number, (_, picture) in enumerate(_frames(path)):
        luma = picture[:, :, 1].astype(np.int16)
        if before is None or np.count_nonzero(np.abs(luma - before) > CHANGED_BY) >= CHANGED_PIXELS:
            changed.append(number)
        before = luma
    watched = time.monotonic() - began
    wanted = set(changed[:: -(-len(changed) // READ_AT_MOST)])
    some = [picture for number, (_, picture) in enumerate(_frames(path)) if number in wanted]
    read(some[0])  # the reader's models are loaded before its time counts
    began = time.monotonic()
    for picture in some:
        read(picture)
    return watched + (time.monotonic() - began) * len(changed) / len(some)


def bare_decode(path: Path) -> int:
    """Decode every frame and look at none; returns how many there were."""
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        return sum(1 for _ in container.decode(video=0))


def read(picture: NDArray[np.uint8]) -> list[str]:
    """The lines of one picture (rows, columns, blue-green-red), read whole and as it is."""
    return [text for _, text, _ in _reader().read(picture)]


def frame_at(path: Path, t_ms: int) -> NDArray[np.uint8]:
    """The picture that stands at a time."""
    found = None
    for seconds, picture in _frames(path):
        if found is not None and seconds * 1000 > t_ms:
            break
        found = picture
    if found is None:
        raise ValueError(f"{path.name} has no frames.")
    return found


@functools.cache
def _reader() -> TextReader:
    return TextReader(threads=2, of_videos=True)


def _frames(path: Path) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            yield float(frame.time or 0.0), np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)


def _difference(seconds: float, before: Sequence[str], after: Sequence[str]) -> list[Event]:
    came = [line for line in after if line not in before]
    went = [line for line in before if line not in after]
    if came and went:
        return [_event(seconds, EventKind.CHANGED, " ".join(came), " ".join(went))]
    reported = [(EventKind.APPEARED, came), (EventKind.VANISHED, went)]
    return [_event(seconds, kind, " ".join(lines)) for kind, lines in reported if lines]


def _event(seconds: float, kind: EventKind, text: str | None, before: str | None = None) -> Event:
    return Event(
        t_ms=round(seconds * 1000),
        kind=kind,
        text=text,
        before=before,
        confidence=1.0,
        description="It changed.",
    )
