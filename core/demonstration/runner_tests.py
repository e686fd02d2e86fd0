"""The tests that a film names in its container, or shows in the runner's column: their titles, and how they ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from core.demonstration.screen_texts import same_row
from core.text import FAILED, PASSED
from core.traces import TestResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.analysis import Chapter
    from core.demonstration.screen_texts import ScreenTexts, Seen

_TITLE: Final = re.compile(rf"(?P<mark>[{PASSED}{FAILED}]) (?P<title>.*[^\W\d_]{{2}}.*)")
_OTHER: Final = re.compile(
    r"(?:GET|POST|PUT|PATCH|DELETE|OPTIONS|HEAD)\b.*|Print to console|View stack trace|Learn more"
)
"""What the page asked for, and buttons below an error, have coloured signs before them as well."""
_EARLY_MS: Final = 500
"""No mark is seen earlier than that before its test's chapter."""
_SAME: Final = 85
"""Of 100: so much of a title was read alike."""
_FULL: Final = 0.6
"""Of the column's width: a title that reaches so far may go on in the next line."""
_NEXT: Final = 2
"""Heights of a line at most from the top of one to that of the next."""


def runner_tests(texts: ScreenTexts, right: int, chapters: Sequence[Chapter]) -> tuple[TestResult, ...]:
    """The tests of a film in their order: its chapters, with the marks that were seen; else those with a mark.

    Args:
        texts: what was read, and when.
        right: where the column ends, in pixels.
        chapters: as the video's container names them: the titles of a test's suites, and its own.

    """
    marked = list(_marked(texts, right))
    if not chapters:
        return tuple(marked)
    found = [TestResult(title=one.title, t_ms=one.t_ms) for one in chapters]
    for one in marked:
        alike = [fuzz.partial_ratio(one.title, each.title) if each.ended is None else 0.0 for each in found]
        best = max(range(len(found)), key=alike.__getitem__)
        if alike[best] >= _SAME and one.t_ms >= found[best].t_ms - _EARLY_MS:
            found[best] = found[best].model_copy(update={"ended": one.ended, "until_ms": one.t_ms})
    return tuple(found)


def _marked(texts: ScreenTexts, right: int) -> Iterator[TestResult]:
    """Those with a mark before their title, each once."""
    known: list[TestResult] = []
    for one in [*texts.at(0), *texts.came()]:
        match = _TITLE.fullmatch(one.text)
        if match is None or one.box[0] >= right or _OTHER.fullmatch(match["title"]):
            continue
        there = [each for each in texts.at(one.t_ms) if each.box[0] < right]
        if any(same_row(each.box, one.box) and each.box[0] < one.box[0] for each in there):
            continue
        title = " ".join([match["title"], *_continued(one, there, right)])
        ended = "passed" if match["mark"] == PASSED else "failed"
        if not any(fuzz.ratio(title, each.title) >= _SAME and each.ended == ended for each in known):
            known.append(TestResult(title=title, t_ms=one.t_ms, until_ms=one.t_ms, ended=ended))
            yield known[-1]


def _continued(one: Seen, there: Sequence[Seen], right: int) -> Iterator[str]:
    """The lines in which a long title goes on."""
    last = one
    for each in there:
        is_next = 0 < each.box[1] - last.box[1] <= _NEXT * last.box[3]
        if not is_next or last.box[0] + last.box[2] < _FULL * right or _TITLE.fullmatch(each.text):
            continue
        if abs(each.box[0] - one.box[0]) <= one.box[3]:
            yield each.text
            last = each
