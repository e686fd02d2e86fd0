"""A timeline as one picture, each event with its moment, its sentence and its change boxed; and small copies."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import CallerError, InvalidRequest
from core.narrative import clock, sentence_of
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Analysis, Event, Region, Verdict


FORMATS: Final = ("JPEG", "PNG", "WEBP")
"""All that analyses write; other readers of Pillow's are not let near a file that may lie beside anybody's video."""
_MOST_PIXELS: Final = 64_000_000
_QUALITY: Final = 78


def load_still(path: Path, width: int) -> Any:
    """A picture as Pillow's ``Image`` in RGB, at most ``width`` pixels wide. Raises ``OSError``, ``InvalidRequest``."""
    from PIL import Image  # noqa: PLC0415 - the daemon starts without it

    with Image.open(path, formats=FORMATS) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise InvalidRequest(f"{path.name} has too many pixels to be made smaller; ask for it as it is.")
        height = max(1, round(picture.height * width / picture.width))
        # JPEG is decoded at an eighth to a half of its size where that is enough.
        picture.draft("RGB", (width, height))
        still = picture.convert("RGB")
    return still if still.width <= width else still.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)


def small_still(path: Path, width: int) -> bytes:
    """The same as JPEG."""
    file = io.BytesIO()
    load_still(path, width).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


MOST_EVENTS: Final = 40
_COLUMNS: Final = 4
_WIDTH: Final = 440
"""Pixels of a cell's picture."""
_MARGIN: Final = 24
_GAP: Final = 20
_SENTENCE_LINES: Final = 3
_VERDICT_LINES: Final = 12
_TALLEST: Final = 0.9
"""Of a cell's picture, in widths: a phone's screen is shown whole, but not as wide."""
_PAPER, _INK, _FAINT, _LINE = "#ffffff", "#16191d", "#5b6570", "#d5dae0"
_BOX: Final = "#e5484d"
_VERDICTS: Final = {"pass": "#18794e", "fail": "#c62a2f", "unclear": "#946800"}
_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
"""Those that know many scripts first; else the one that comes with Pillow, which knows the Latin one."""


def contact_sheet(analysis: Analysis, folder: Path) -> bytes:
    """The sheet as JPEG, of at most ``MOST_EVENTS`` events, evenly chosen; it says how many there are.

    Args:
        analysis: whose timeline it is.
        folder: the interaction folder, where its pictures lie; one that is missing leaves its place empty.

    """
    chosen = evenly(analysis.timeline, MOST_EVENTS)
    sheet = _Sheet(analysis, len(chosen))
    for place, event in enumerate(chosen):
        sheet.add(place, event, folder)
    return sheet.jpeg()


def evenly(events: Sequence[Event], most: int) -> Sequence[Event]:
    """At most so many of them, the first and the last among them."""
    if len(events) <= most:
        return events
    return [events[round(place * (len(events) - 1) / (most - 1))] for place in range(most)]


class _Sheet:
    def __init__(self, analysis: Analysis, count: int) -> None:
        from PIL import Image, ImageDraw  # noqa: PLC0415 - the daemon starts without it

        self._video = analysis.video
        self._title, self._text, self._small = _font(26), _font(16), _font(14)
        self._high = round(min(_WIDTH * self._video.height / max(self._video.width, 1), _WIDTH * _TALLEST))
        self._cell = self._high + 34 + 21 * _SENTENCE_LINES
        columns = max(min(count, _COLUMNS), 2)
        rows = -(-count // _COLUMNS)
        head = _head(analysis, count)
        self._top = _MARGIN + 44 + 22 * len(head) + _GAP
        size = (
            2 * _MARGIN + columns * _WIDTH + (columns - 1) * _GAP,
            self._top + rows * (self._cell + _GAP) + _MARGIN,
        )
        self._image: Any = Image.new("RGB", size, _PAPER)
        self._draw = ImageDraw.Draw(self._image)
        width = size[0] - 2 * _MARGIN
        self._write((_MARGIN, _MARGIN), _name(self._video.path), self._title, _INK, width)
        for line, (words, colour) in enumerate(head):
            self._write((_MARGIN, _MARGIN + 44 + 22 * line), words, self._text, colour, width)

    def add(self, place: int, event: Event, folder: Path) -> None:
        """Draw one event."""
        left = _MARGIN + place % _COLUMNS * (_WIDTH + _GAP)
        top = self._top + place // _COLUMNS * (self._cell + _GAP)
        self._picture(left, top, event, folder)
        self._draw.rectangle((left, top, left + _WIDTH - 1, top + self._high - 1), outline=_LINE)
        below = top + self._high + 8
        self._draw.text((left, below), clock(event.t_ms), font=self._text, fill=_INK)
        shift = self._draw.textlength(clock(event.t_ms), font=self._text) + 10
        self._draw.text((left + shift, below + 2), event.kind.value, font=self._small, fill=_FAINT)
        for line, words in enumerate(self._wrapped(sentence_of(event))):
            self._draw.text((left, below + 24 + 21 * line), words, font=self._text, fill=_INK)

    def jpeg(self) -> bytes:
        """The whole."""
        file = io.BytesIO()
        self._image.save(file, "JPEG", quality=85)
        return file.getvalue()

    def _picture(self, left: int, top: int, event: Event, folder: Path) -> None:
        path = _frame_path(event.frame, folder)
        try:
            picture = load_still(path, _WIDTH) if path else None
        except (OSError, CallerError):
            picture = None
        if picture is None:
            self._draw.rectangle((left, top, left + _WIDTH - 1, top + self._high - 1), fill="#eef1f4")
            self._draw.text((left + 12, top + 10), "no picture", font=self._small, fill=_FAINT)
            return
        picture.thumbnail((_WIDTH, self._high))
        shift = (_WIDTH - picture.width) // 2
        self._draw.rectangle((left, top, left + _WIDTH - 1, top + self._high - 1), fill="#eef1f4")
        self._image.paste(picture, (left + shift, top))
        if event.region is not None:
            self._box(left + shift, top, event.region, picture.width / max(self._video.width, 1), picture.size)

    def _box(self, left: int, top: int, region: Region, scale: float, size: tuple[int, int]) -> None:
        x, y, width, height = (side * scale for side in region)
        right, bottom = left + size[0] - 1, top + size[1] - 1
        edges = (
            min(max(left + x - 3, left), right),
            min(max(top + y - 3, top), bottom),
            max(min(left + x + width + 3, right), left),
            max(min(top + y + height + 3, bottom), top),
        )
        if edges[2] > edges[0] and edges[3] > edges[1]:
            self._draw.rectangle(edges, outline=_BOX, width=2)

    def _wrapped(self, words: str) -> list[str]:
        lines = [""]
        for word in words[:600].split(" "):
            longer = f"{lines[-1]} {word}".lstrip()
            if self._draw.textlength(longer, font=self._text) <= _WIDTH:
                lines[-1] = longer
            else:
                lines.append(word)
        if len(lines) > _SENTENCE_LINES:
            lines = [*lines[: _SENTENCE_LINES - 1], " ".join(lines[_SENTENCE_LINES - 1 :])]
        return [self._cut(line, self._text, _WIDTH) for line in lines if line]

    def _write(self, at: tuple[int, int], words: str, font: Any, colour: str, width: int) -> None:
        self._draw.text(at, self._cut(words, font, width), font=font, fill=colour)

    def _cut(self, words: str, font: Any, width: int) -> str:
        words = words[:400]
        if self._draw.textlength(words, font=font) <= width:
            return words
        while words and self._draw.textlength(f"{words}…", font=font) > width:
            words = words[: len(words) - max(1, len(words) // 20)]
        return f"{words}…"


def _head(analysis: Analysis, count: int) -> list[tuple[str, str]]:
    video = analysis.video
    total = len(analysis.timeline)
    text = f"{count} of {total} events, evenly chosen" if count < total else f"{total} event{'s' * (total != 1)}"
    if not total:
        text = "nothing changed on the screen"
    facts = f"{clock(video.duration_ms)}, {video.width} x {video.height}, watched by {analysis.provider}: {text}"
    lines = [(one_line(facts), _FAINT)]
    lines += [(_verdict(each), _VERDICTS[each.verdict.value]) for each in analysis.verdicts[:_VERDICT_LINES]]
    if left := len(analysis.verdicts) - _VERDICT_LINES:
        lines += [(f"and {left} more verdicts", _FAINT)] if left > 0 else []
    return lines


def _verdict(verdict: Verdict) -> str:
    moments = ", ".join(clock(each.t_ms) for each in verdict.evidence[:3])
    words = f"{verdict.verdict.value.upper()}  {one_line(verdict.expectation)}: {one_line(verdict.reason)}"
    return f"{words} ({moments})" if moments else words


def _name(path: str) -> str:
    return one_line(re.split(r"[/\\]", path)[-1]) or "video"


def _frame_path(frame: str | None, folder: Path) -> Path | None:
    """The file of a picture that really lies among the analysis' pictures, if it does."""
    if frame is None:
        return None
    path = folder / "frames" / Path(frame).name
    return path if path.is_file() and path.resolve() == folder.resolve() / "frames" / path.name else None


def _font(size: int) -> Any:
    from PIL import ImageFont  # noqa: PLC0415 - the daemon starts without it

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
