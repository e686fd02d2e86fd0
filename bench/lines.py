"""How many lines of a screen are read exactly, at every height: by the eyes of runs, the analyser, and RapidOCR.

A line is read exactly when what was read at its place says it, letter case, signs and spaces included; what stands
beside it in its row may be part of the same reading. The rival is the ``rapidocr`` package as it comes (its detector
and the same recogniser, on the whole picture), where it is installed: ``pip install rapidocr``.
"""

import importlib.util
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from adapters.desktop.eyes import ScreenEyes
from adapters.video.frame import Box
from adapters.video.ocr.reader import TextReader
from adapters.video.text.areas import AreaReader
from bench.line_screens import SHIFTS, Line, Screen, screens
from bench.table import Table

Read = Sequence[tuple[Box, str]]
Reads = Callable[[Screen], Read]

PAGES: Final = {False: 85, True: 40}
"""By whether they are held out; times sixteen heights: 2,000 screens."""
RIVAL_EVERY: Final = 16
"""The rival takes seconds a screen: it reads each page at one height."""
_BULLETS: Final = str.maketrans(dict.fromkeys("•▪◦·", " "))
_SHOWN: Final = 12


@dataclass
class Score:
    """What one reader made of the screens."""

    lines: int = 0
    exact: int = 0
    screens: int = 0
    seconds: float = 0.0
    readings: dict[object, set[str]] = field(default_factory=lambda: defaultdict(set))
    misread: dict[tuple[str, str, str], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, screen: Screen, reads: Reads) -> Read:
        """Read a screen and compare."""
        start = time.perf_counter()
        found = reads(screen)
        self.seconds += time.perf_counter() - start
        self.screens += 1
        for line in screen.lines:
            got = at(line, found)
            self.lines += 1
            self.exact += got == line.text
            # The same line of the page, wherever it stands now.
            self.readings[screen.name, line.text, line.box[0], line.box[1] + screen.shift].add(got)
            if got != line.text:
                self.misread[screen.name, line.text, got] += 1
        return found

    def row(self, name: str) -> tuple[str, ...]:
        """The score as a table shows it."""
        varying = sum(len(each) > 1 for each in self.readings.values())
        return (
            name,
            f"{self.screens}",
            f"{self.lines}",
            f"{self.exact / max(self.lines, 1):.2%}",
            f"{varying} of {len(self.readings)}",
            f"{1000 * self.seconds / max(self.screens, 1):.0f}",
        )


def at(line: Line, found: Read) -> str:
    """What was read in the row of a line; the line's own text where that is part of it."""
    x, y, width, height = line.box
    row = [
        (box[0], text)
        for box, text in found
        if -0.15 * height <= box[1] + box[3] / 2 - y <= 1.15 * height
        and min(box[0] + box[2], x + width) - max(box[0], x) > 3
    ]
    got, said = (_plain(each) for each in (" ".join(text for _, text in sorted(row)), line.text))
    return line.text if f" {said} " in f" {got} " else got


def _plain(text: str) -> str:
    return " ".join(text.translate(_BULLETS).split())


def _by_eyes(eyes: ScreenEyes) -> Reads:
    def read(screen: Screen) -> Read:
        return [
            ((line.box.x, line.box.y, line.box.width, line.box.height), line.text) for line in eyes.read(screen.picture)
        ]

    return read


def _by_analyser(reader: TextReader) -> Reads:
    def read(screen: Screen) -> Read:
        height, width = screen.bgr.shape[:2]
        area = AreaReader(reader, height, kept=0)
        boxes = area.boxes(screen.bgr, (0, 0, width, height))
        luma = np.asarray(cv2.cvtColor(screen.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
        texts = area.texts(screen.bgr, luma, boxes)
        return [(box, text) for box, (text, _) in zip(boxes, texts, strict=True) if text]

    return read


def _by_rapidocr() -> Reads | None:
    if importlib.util.find_spec("rapidocr") is None:
        return None
    package: Any = importlib.import_module("rapidocr")
    engine = package.RapidOCR()

    def read(screen: Screen) -> Read:
        found = engine(screen.bgr)
        corners: list[NDArray[np.float32]] = [] if found.boxes is None else list(found.boxes)
        texts: Sequence[str] = found.txts or ()
        return [(_around(each), text) for each, text in zip(corners, texts, strict=True)]

    return read


def _around(corners: NDArray[np.float32]) -> Box:
    left, top = (round(float(each)) for each in corners.min(axis=0))
    right, bottom = (round(float(each)) for each in corners.max(axis=0))
    return left, top, right - left, bottom - top


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` twenty pages at four heights."""
    tables: list[Table] = []
    rival, reader = _by_rapidocr(), TextReader()
    for held_out, pages in PAGES.items():
        eyes = ScreenEyes(reader=reader)
        scores = {"ours, run's eyes": Score(), "ours, analyser": Score(), "RapidOCR, whole frame": Score()}
        same = whole = 0
        with tempfile.TemporaryDirectory() as folder:
            shifts = SHIFTS[::4] if quick else SHIFTS
            for number, screen in enumerate(
                screens(Path(folder), 20 if quick else pages, held_out=held_out, shifts=shifts)
            ):
                ours = scores["ours, run's eyes"].add(screen, _by_eyes(eyes))
                if number % RIVAL_EVERY == 0:
                    analysed = scores["ours, analyser"].add(screen, _by_analyser(reader))
                    same, whole = same + len({*ours} & {*analysed}), whole + len({*ours} | {*analysed})
                    if rival is not None:
                        scores["RapidOCR, whole frame"].add(screen, rival)
        tables.append(_table(scores, (same, whole), held_out=held_out))
    reader.close()
    return tables


def _table(scores: dict[str, Score], same: tuple[int, int], *, held_out: bool) -> Table:
    misread = sorted(scores["ours, run's eyes"].misread.items(), key=lambda item: -item[1])
    examples = "; ".join(f"{said!r} read as {got!r} ({count})" for (_, said, got), count in misread[:_SHOWN])
    note = (
        f"Of the lines that the eyes or the analyser read in the same picture, {same[0]} of {same[1]} are the same in "
        f"both, box and text. Misread by the eyes: {len(misread)} lines. {examples}"
    )
    columns = (
        "reader",
        "screens",
        "lines",
        "read exactly",
        "lines that read otherwise at another height",
        "ms a screen",
    )
    title = f"Lines of screens{', held out' if held_out else ''}"
    return Table(title, columns, [score.row(name) for name, score in scores.items() if score.screens], note)
