"""The plain rival: reads settled screens whole, tracks lines, votes over their readings, reports the differences."""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import av
import numpy as np
from numpy.typing import NDArray

from adapters.video.frame import Box, overlap
from adapters.video.ocr.reader import TextReader
from core.analysis import Event, EventKind, Findings, Sighting

Looks = Iterator[tuple[int, int, NDArray[np.uint8]]]

CHANGED_PIXELS: Final = 3
CHANGED_BY: Final = 40
"""A frame has changed when so many pixels differ by so much in brightness."""
REST_MS: Final = 80
"""A screen without a change for so long has settled."""
DUE_MS: Final = 500
"""One that does not settle is read after so long."""
ALIKE: Final = 0.8
"""Two readings at one place with so many letters in common are readings of one text."""


@dataclass(eq=False)
class Line:
    """One line of text while it stood on the screen; times in milliseconds."""

    t_ms: int
    box: Box
    readings: Counter[str] = field(default_factory=Counter[str])
    until_ms: int | None = None

    @property
    def text(self) -> str:
        """The reading that came most often; of equals the first."""
        return self.readings.most_common(1)[0][0]


def watch_plainly(path: Path) -> Findings:
    """Read each settled screen whole, and report the differences."""
    reader, standing, ended = TextReader(threads=2, of_videos=True), list[Line](), list[Line]()
    changes: list[tuple[int, list[Line], list[Line]]] = []
    first: list[Line] | None = None
    for changed_ms, _, picture in looks(path):
        found = [(box, text) for box, text, _ in reader.read(picture)]
        came, went = track(standing, found, changed_ms)
        for line in went:
            line.until_ms = changed_ms
        ended += went
        if first is None:
            first = came
        elif came or went:
            changes.append((changed_ms, came, went))
    reader.close()
    events = [event for change in changes for event in events_of(*change)]
    return Findings(
        timeline=tuple(events),
        first_screen=tuple(line.text for line in first or ()),
        sightings=tuple(
            Sighting(text=line.text, t_ms=line.t_ms, until_ms=line.until_ms, region=line.box)
            for line in (*ended, *standing)
        ),
    )


def looks(path: Path) -> Looks:
    """When what is to be read began to change, when it was seen, and its picture (rows, columns, blue-green-red)."""
    before: NDArray[np.int16] | None = None
    changed_ms: int | None = 0
    moved_ms = read_ms = now = 0
    picture: NDArray[np.uint8] | None = None
    for now, frame in _frames(path):
        luma = frame[:, :, 1].astype(np.int16)
        moved = before is None or np.count_nonzero(np.abs(luma - before) > CHANGED_BY) >= CHANGED_PIXELS
        if changed_ms is not None and picture is not None:
            settled = not moved and now - moved_ms >= REST_MS
            if settled or now - max(read_ms, changed_ms) >= DUE_MS:
                yield changed_ms, now, frame if settled else picture
                changed_ms, read_ms = None, now
        if moved:
            moved_ms = now
            changed_ms = now if changed_ms is None else changed_ms
        before, picture = luma, frame
    if changed_ms is not None and picture is not None:
        yield changed_ms, now, picture


def track(standing: list[Line], found: Sequence[tuple[Box, str]], t_ms: int) -> tuple[list[Line], list[Line]]:
    """Continue the lines that are still there; returns those that came and those that went."""
    left, came = list(standing), list[Line]()
    for box, text in found:
        same = next((line for line in left if _is_same(line, box, text)), None)
        if same is None:
            same = Line(t_ms, box)
            came.append(same)
        else:
            left.remove(same)
        same.box = box
        same.readings[text] += 1
    standing[:] = [line for line in standing if line not in left] + came
    return came, left


def events_of(t_ms: int, came: Sequence[Line], went: Sequence[Line]) -> Iterator[Event]:
    """Each pair at one place is a change or typing; the rest came or went."""
    came, went = list(came), list(went)
    for new in list(came):
        old = next((line for line in went if _on_one_row(line.box, new.box)), None)
        if old is not None:
            came.remove(new)
            went.remove(old)
            typed = new.text.startswith(old.text)
            yield Event(
                t_ms=t_ms,
                kind=EventKind.TYPED if typed else EventKind.CHANGED,
                text=new.text,
                before=old.text,
                confidence=1.0,
                description=f'"{old.text}" changed to "{new.text}".',
            )
    for kind, lines, verb in ((EventKind.APPEARED, came, "appeared"), (EventKind.VANISHED, went, "disappeared")):
        text = " · ".join(line.text for line in lines)
        if text:
            yield Event(t_ms=t_ms, kind=kind, text=text, confidence=1.0, description=f'"{text}" {verb}.')


def _is_same(line: Line, box: Box, text: str) -> bool:
    if 2 * overlap(line.box, box) < max(line.box[2] * line.box[3], box[2] * box[3]):
        return False
    return text in line.readings or difflib.SequenceMatcher(None, line.text, text).ratio() >= ALIKE


def _on_one_row(first: Box, second: Box) -> bool:
    return 3 * overlap(first, second) > min(first[2] * first[3], second[2] * second[3])


def _frames(path: Path) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            yield round(1000 * float(frame.time or 0.0)), np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
