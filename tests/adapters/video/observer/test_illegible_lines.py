"""Lines that are found and cannot be read: they are known as such, so that no verdict says they were absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from core.analysis import VerdictResult
from core.expectations import judge_all
from tests.fakes.videos.clips import video
from tests.fakes.videos.drawn_screens import CountingReader, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.ocr.reader import Reading
    from tests.fakes.videos.drawn_screens import Draw, Watcher


@dataclass
class ShortSighted(CountingReader):
    """The real reader, which makes nothing of one line, as of letters that are too small."""

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        return [("tral?", 0.5) if "return" in text else (text, score) for text, score in super().recognise(crops)]


def test_what_a_line_says_that_could_not_be_read_is_unclear_while_it_stands(watcher: Watcher) -> None:
    def dialog(canvas: Draw, t: int) -> None:
        write(canvas, 40, 90, "Boats in the harbour")
        if 800 <= t < 2400:
            canvas.rectangle((200, 180, 700, 300), fill="#e8e8e8", outline="#303030")
            write(canvas, 240, 200, "Warning")
            write(canvas, 240, 240, "Shall it return at once?")

    watcher.reader = ShortSighted(watcher.reader.inner)
    found = watcher.see(dialog, 4000)
    assert all("tral" not in event.description for event in found.timeline)
    place = found.unread[0].region
    assert (len(found.unread), place[0] <= 240 <= place[0] + place[2], place[1] <= 250 <= place[1] + place[3]) == (
        1,
        True,
        True,
    )
    assert 800 <= found.unread[0].t_ms < found.unread[0].until_ms <= 2440
    asked = (
        '"Shall it return at once?" is shown',
        '"Warning" is shown',
        '"A much longer text than that place has room for" is shown',
    )
    verdicts = [each.verdict for each in judge_all(asked, found, video())]
    assert verdicts == [VerdictResult.UNCLEAR, VerdictResult.PASS, VerdictResult.FAIL]


@dataclass
class Deceived(CountingReader):
    """The real reader, which takes one letter for another while something stands on it."""

    score: float = 0.79

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        said = super().recognise(crops)
        return [("Namq", self.score) if "Nam" in text and text != "Name" else (text, score) for text, score in said]


@pytest.mark.parametrize(("score", "is_doubted"), [(0.79, True), (0.99, False)])
def test_a_letter_that_is_read_badly_under_something_is_the_one_that_stood_there(
    watcher: Watcher, score: float, *, is_doubted: bool
) -> None:
    def field(canvas: Draw, t: int) -> None:
        write(canvas, 40, 90, "Boats in the harbour")
        write(canvas, 240, 240, "Name" if t < 1500 else "Namo")

    watcher.reader = Deceived(watcher.reader.inner, score=score)
    found = watcher.see(field, 3000)
    assert any("Namq" in event.description for event in found.timeline) is not is_doubted
