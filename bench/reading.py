"""How many words of the truth are read in a small video: by ours, and by whole frames as they are and enlarged."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bench.clips import Clip, clips
from bench.rivals import frame_at, read
from bench.table import Table
from bench.watching import watch
from bench.words import recall

SMALL_WIDTH = 800
BAR = 0.98


def run() -> list[Table]:
    """Measure at every calm moment of the clips of Playwright's size."""
    small = [clip for clip in clips() if clip.truth.width == SMALL_WIDTH]
    counts = [_counts(clip) for clip in small]
    sums = tuple((sum(row[i][0] for row in counts), sum(row[i][1] for row in counts)) for i in range(3))
    named = zip([*(clip.name for clip in small), "all"], [*counts, sums], strict=True)
    rows = [(name, str(row[0][1]), *(f"{found / whole:.3f}" for found, whole in row)) for name, row in named]
    columns = ("clip", "words", "ours", "whole frame as it is", "whole frame enlarged twice")
    note = f"Words read exactly, letter case included; the bar for ours is {BAR}."
    return [Table("Words read at 800x450", columns, rows, note)]


def _counts(clip: Clip) -> tuple[tuple[int, int], ...]:
    sums = [(0, 0), (0, 0), (0, 0)]
    _, findings = watch(clip.path)
    for screen in clip.truth.screen_words:
        stands = [
            each.text
            for each in findings.sightings or ()
            if each.t_ms <= screen.t_ms and (each.until_ms is None or each.until_ms > screen.t_ms)
        ]
        picture = frame_at(clip.path, screen.t_ms)
        for number, lines in enumerate((stands, read(picture), read(_enlarged(picture)))):
            found, whole = recall(lines, screen.words)
            sums[number] = (sums[number][0] + found, sums[number][1] + whole)
    return tuple(sums)


def _enlarged(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    image = Image.fromarray(picture)
    return np.asarray(image.resize((image.width * 2, image.height * 2), Image.Resampling.LANCZOS))
