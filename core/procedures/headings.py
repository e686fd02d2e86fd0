"""What else stood on the screen that may be asked for: what came of it, headings, labels beside what was done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.criteria import is_volatile
from core.demonstration.screen_texts import is_masked
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.procedures.acts import Act
    from core.procedures.scene import Scene

MOST_LINES: Final = 60
MOST_LETTERS: Final = 4000
_LONGEST: Final = 200
_SURE: Final = 0.8
_SHORT: Final = 25
_LETTERS: Final = 2
_NEAR: Final = (260, 90)
"""Pixels across and down."""
_MOST_LOOKS: Final = 12
_TALL: Final = 1.3
_AFTER_MS: Final = 3000
_STANDS_MS: Final = 700


def words_near(
    acts: Sequence[Act], texts: ScreenTexts, is_concealed: Callable[[str], bool], end_ms: int
) -> tuple[str, ...]:
    """The lines, the most telling first, within ``MOST_LINES`` and ``MOST_LETTERS``."""
    found: dict[str, None] = {}
    typed = {act.value for act in acts if act.value}
    letters = 0
    for line in _lines(acts, texts, end_ms):
        text = one_line(line.text)
        if text in found or not _is_telling(line, text) or is_concealed(text):
            continue
        if any(value != text and value.startswith(text) for value in typed):
            # It was on its way to become that.
            continue
        letters += len(text) + 1
        if letters > MOST_LETTERS or len(found) == MOST_LINES:
            break
        found[text] = None
    return tuple(found)


def words_told(
    scene: Scene, since_ms: int, until_ms: int, is_concealed: Callable[[str], bool], *, is_first: bool
) -> tuple[str, ...]:
    """The same where there is only a timeline: the texts that it names, for the first one also the first screen's."""
    told = [event for event in scene.timeline if since_ms <= event.t_ms < until_ms]
    named = [part for event in told for part in (event.text or "").split(" \u00b7 ")]
    lines = [one_line(line) for line in (*named, *(scene.first_screen if is_first else ()))]
    kept = [
        line
        for line in dict.fromkeys(lines)
        if line and len(line) <= _LONGEST and not is_concealed(line) and not (len(line) <= _SHORT and is_volatile(line))
    ]
    found: list[str] = []
    for line in kept[:MOST_LINES]:
        if sum(map(len, found)) + len(line) > MOST_LETTERS:
            break
        found.append(line)
    return tuple(found)


def _lines(acts: Sequence[Act], texts: ScreenTexts, end_ms: int) -> Iterator[Seen]:
    start, last = acts[0].t_ms, acts[-1].ends_ms
    yield from sorted(texts.came(last, min(end_ms, last + _AFTER_MS)), key=lambda one: (-one.box[3], one.box[1]))
    chosen = acts if len(acts) <= _MOST_LOOKS else [acts[at * len(acts) // _MOST_LOOKS] for at in range(_MOST_LOOKS)]
    looks = [texts.before_click(act.t_ms) for act in chosen]
    for seen in (*looks, texts.at(max(start, last - 1))):
        yield from _headings(seen)
    for act, seen in zip(chosen, looks, strict=True):
        if act.at is not None:
            x, y = act.at
            near = [one for one in seen if abs(one.middle[0] - x) <= _NEAR[0] and abs(one.middle[1] - y) <= _NEAR[1]]
            yield from sorted(near, key=lambda one: abs(one.middle[1] - y) + abs(one.middle[0] - x))
    yield from sorted(texts.came(start, last), key=lambda one: -one.box[3])


def _headings(seen: Sequence[Seen]) -> list[Seen]:
    heights = sorted(one.box[3] for one in seen)
    usual = heights[len(heights) // 2] if heights else 0
    return sorted((one for one in seen if one.box[3] >= _TALL * usual), key=lambda one: (-one.box[3], one.box[1]))


def _is_telling(one: Seen, text: str) -> bool:
    is_passing = one.until_ms is not None and one.until_ms - one.t_ms < _STANDS_MS
    if is_passing or one.confidence < _SURE or len(text) > _LONGEST or is_masked(text):
        return False
    if len(re.findall(r"[^\W\d_]", text)) < (_LETTERS if text.isascii() else 1):
        return False
    return not (len(text) <= _SHORT and is_volatile(text))
