"""The texts of a recording by time and place, and when none may be learned because a password manager is in front."""

from __future__ import annotations

import bisect
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from core.plans.phrasing import marks
from core.recording.input_log import Focused, InputLog
from core.text import letters_of, one_line
from core.window_kinds import is_manager
from core.workflows.workflow import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from core.analysis import Region, Sighting


_MARGIN_MS: Final = 1500
"""A window is on the screen before it has the focus, and before its title is read."""


class Span(NamedTuple):
    """A part of the recording, in milliseconds."""

    start: int
    end: int

    def holds(self, t_ms: int) -> bool:
        """Whether a moment is in it."""
        return self.start <= t_ms <= self.end


def hidden_spans(sightings: Sequence[Sighting], log: InputLog | None, duration_ms: int) -> tuple[Span, ...]:
    """When a password manager was in front, by the windows' names in the log and by any such name on the screen."""
    found = [
        Span(max(0, one.t_ms - _MARGIN_MS), duration_ms if one.until_ms is None else one.until_ms)
        for one in sightings
        if is_manager(one.text)
    ]
    return (*found, *(_focused(log, duration_ms) if log is not None else ()))


def _focused(log: InputLog, duration_ms: int) -> Iterator[Span]:
    windows = [event for event in log.events if isinstance(event, Focused)]
    for at, window in enumerate(windows):
        if is_manager(window.title) or is_manager(window.application):
            end = windows[at + 1].t_ms if at + 1 < len(windows) else duration_ms
            yield Span(max(0, window.t_ms - _MARGIN_MS), end)


_SURE: Final = 0.8
"""Readings below this confidence are quoted nowhere."""
_LONGEST: Final = 80
"""What is longer is a text and no label."""
_ANSWERED_MS: Final = 10_000
"""What was typed comes so soon elsewhere, if at all."""
_LONG_ENOUGH: Final = 4
"""Letters; a number may be reckoned with."""
_ALMOST: Final = 85
"""Of 100: so much of a longer text was read well."""
_MARGIN: Final = 3
_TOUCHING: Final = -2
"""Boxes that are read may overlap by that."""
_LATEST_MS: Final = 80
"""So much may the clocks of video and log differ: what came later than a click is not what was clicked."""
_BESIDE: Final = 6.0
_ABOVE: Final = 3.0
_ALIGNED: Final = 1.2
_CLEARLY: Final = 1.6
"""So many times farther is clearly farther."""
_MASKED: Final = re.compile("[\u2022\u00b7\u25cf\u2219.*]{3,}")

_SHAPE: Final = re.compile(
    r"(?=.*([ymdhstja])\1)\W*[ymdhstja]{1,4}(?:[-./:][ymdhstja]{1,4}){1,2}"
    r"(?: +[ymdhstja]{1,4}(?::[ymdhstja]{1,4}){1,2})?\W*",
    re.IGNORECASE,
)
"""The shape of a date or a time, as a hint in a field: it names nothing."""


_WORDS: Final = 3
_LABEL_ENDS: Final = (":", "\uff1a")


class Seen(NamedTuple):
    """A text at a moment: where it stood then."""

    text: str
    box: Region
    confidence: float
    t_ms: int
    until_ms: int | None

    @property
    def middle(self) -> tuple[float, float]:
        """The centre of its box."""
        return self.box[0] + self.box[2] / 2, self.box[1] + self.box[3] / 2

    @property
    def is_quotable(self) -> bool:
        """Whether a sentence may quote it as the name of something: read surely, one line, no place for a value."""
        return self.confidence >= _SURE and is_quotable(self.text)


@lru_cache(maxsize=8192)
def is_quotable(text: str) -> bool:
    """Whether a text can stand between quotation marks and is looked for as it stands."""
    plain = one_line(text)
    has_words = sum(sign.isalnum() for sign in plain) > 0
    return has_words and plain == text and len(text) <= _LONGEST and marks(text) is not None and not places(text)


def is_masked(text: str) -> bool:
    """Whether it is a row of dots or stars, as of a hidden password."""
    return _MASKED.fullmatch("".join(unicodedata.normalize("NFKC", text).split())) is not None


def is_sentence(text: str) -> bool:
    """Whether it explains something: several words with a full stop."""
    return text.endswith(".") and text.count(" ") >= _WORDS


def is_plain_label(text: str) -> bool:
    """Whether it ends as what stands before a field does, and a hint or a value in it does not."""
    return text.rstrip(" *").endswith(_LABEL_ENDS) or text.endswith("*")


def is_shape(text: str) -> bool:
    """Whether it is nothing but the shape of a date or a time, as ``YYYY-MM-DD``."""
    return _SHAPE.fullmatch(text) is not None


def same_row(one: Region, other: Region) -> bool:
    """Whether the middle of the lower one is within the height of the higher, or the other way round."""
    middle, low = one[1] + one[3] / 2, other[1] + other[3] / 2
    return abs(middle - low) <= max(one[3], other[3]) / 2


def row_of(text: Region, behind: Region) -> Region:
    """The place of a text together with what stands behind it in its row."""
    left, top = text[0], min(text[1], behind[1])
    return left, top, behind[0] + behind[2] - left, max(text[3], behind[3])


class ScreenTexts:
    """All texts that may be used.

    Args:
        sightings: of the analysis.
        hidden: when nothing may be learned: what came then is left out.

    """

    def __init__(self, sightings: Iterable[Sighting], hidden: Sequence[Span] = ()) -> None:
        self._hidden = hidden
        self._all = [
            one for one in sightings if one.region is not None and not any(span.holds(one.t_ms) for span in hidden)
        ]
        self._by_time = sorted(self._all, key=lambda one: one.t_ms)
        self._times = [one.t_ms for one in self._by_time]
        # Those that never moved are the same whenever they are looked at.
        still = (_seen(one, one.t_ms) for one in self._all if not one.earlier)
        self._still = sorted(still, key=lambda one: (one.box[1], one.box[0]))
        self._moving = [one for one in self._all if one.earlier]
        self._seen: dict[int, list[Seen]] = {}
        self._said: dict[str, list[Sighting]] = {}

    def is_hidden(self, t_ms: int) -> bool:
        """Whether nothing of that moment may be learned."""
        return any(span.holds(t_ms) for span in self._hidden)

    def at(self, t_ms: int) -> list[Seen]:
        """What stood on the screen, top to bottom."""
        if t_ms not in self._seen:
            seen = [one for one in self._still if one.t_ms <= t_ms and (one.until_ms is None or one.until_ms > t_ms)]
            moving = [one for one in self._moving if one.t_ms <= t_ms and (one.until_ms is None or one.until_ms > t_ms)]
            if moving:
                seen += (_seen(one, t_ms) for one in moving)
                seen.sort(key=lambda one: (one.box[1], one.box[0]))
            self._seen[t_ms] = seen
        return list(self._seen[t_ms])

    def shows(self, words: str, t_ms: int) -> bool:
        """Whether words stand there, alone or in a line: a button is read with the sign beside its words."""
        return any(words.casefold() in one.text.casefold() for one in self.at(t_ms))

    def before_click(self, t_ms: int) -> list[Seen]:
        """What stood on the screen when a button went down: nothing that only came of it."""
        return self.at(max(0, t_ms - _LATEST_MS))

    def came(self, since_ms: int = 0, until_ms: int | None = None) -> Iterator[Seen]:
        """What came in a time, else at any, as it stood then, in order; not what was there from the beginning."""
        first = bisect.bisect_left(self._times, max(since_ms, 1))
        end = None if until_ms is None else bisect.bisect_right(self._times, until_ms)
        for one in self._by_time[first:end]:
            yield _seen(one, one.t_ms)

    def says(self, text: str) -> bool:
        """Whether that was on the screen at any time."""
        return any(one.text == text for one in self._all)

    def says_words(self, words: str) -> bool:
        """Whether these words were on the screen at any time, also within a text."""
        return bool(self._saying(words))

    def said_before(self, words: str, t_ms: int) -> bool:
        """Whether these words stood on the screen at a moment, or at the beginning, also within a text."""
        return any(
            one.t_ms == 0 or (one.t_ms < t_ms and (one.until_ms is None or one.until_ms >= t_ms))
            for one in self._saying(words)
        )

    def says_before(self, words: str, t_ms: int) -> bool:
        """Whether these words came on the screen at any time before a moment, also within a text."""
        return any(one.t_ms < t_ms for one in self._saying(words))

    def comes_after(self, text: str, t_ms: int) -> bool:
        """Whether just that text came on the screen after a moment."""
        return any(one.text == text and one.t_ms > t_ms for one in self._saying(text))

    def said_otherwise(self, text: str, t_ms: int) -> str:
        """What came after a moment and is almost that text, or goes on with its last word; empty where it came, too."""
        came = [one.text for one in self._all if t_ms < one.t_ms <= t_ms + _ANSWERED_MS]
        if sum(map(str.isalpha, text)) < _LONG_ENOUGH or any(_says(one, text) and text in one for one in came):
            return ""
        return next((one for one in came if _is_almost(text, one)), "")

    def stood_before(self, one: Seen) -> bool:
        """Whether the same text stood in the same place earlier: something was in front of it for a while."""
        earlier = (_seen(each, each.t_ms) for each in self._saying(one.text) if each.t_ms < one.t_ms)
        return any(each.text == one.text and overlaps(each.box, one.box) for each in earlier)

    def _saying(self, words: str) -> list[Sighting]:
        if words not in self._said:
            self._said[words] = [one for one in self._all if words in one.text and _says(one.text, words)]
        return self._said[words]


def _is_almost(text: str, other: str) -> bool:
    """Whether only a letter or two is otherwise, or a word goes on where a text ends."""
    if letters_of(text) == letters_of(other):
        return False
    goes_on = other.startswith(text) and text[-1:].isalnum() and other[len(text) :][:1].isalnum()
    return goes_on or (text[:1] == other[:1] and fuzz.ratio(text, other) >= _ALMOST)


def _says(text: str, words: str) -> bool:
    """Whether a text has these words in it."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def under(seen: Sequence[Seen], x: int, y: int) -> Seen | None:
    """The smallest text at a point."""
    there = [one for one in seen if _holds(one.box, x, y)]
    return min(there, key=lambda one: one.box[2] * one.box[3], default=None)


def label_of(box: Region, seen: Sequence[Seen], values: Sequence[Region] = ()) -> Seen | None:
    """The text that names a field: beside what stands in it, or above; ``None`` where both are as near.

    Args:
        box: of what stands in the field.
        seen: what stands on the screen.
        values: where texts stand that were typed, which name nothing.

    """
    x, y, _, height = box
    others = [one for one in seen if one.box != box and not any(overlaps(one.box, value) for value in values)]
    beside = max(
        (one for one in others if same_row(one.box, box) and _TOUCHING <= x - _right(one) < _BESIDE * height),
        key=_right,
        default=None,
    )
    above = max(
        (
            one
            for one in others
            if _TOUCHING <= y - one.box[1] - one.box[3] < _ABOVE * height and abs(one.box[0] - x) <= 2 * height
        ),
        key=lambda one: one.box[1],
        default=None,
    )
    if beside is None or above is None:
        return beside or above
    across, down = max(x - _right(beside), height / 4), max(y - above.box[1] - above.box[3], height / 4)
    if across > _CLEARLY * down and abs(above.box[0] - x) <= _ALIGNED * height:
        return above
    return beside if down > _CLEARLY * across else None


def _right(one: Seen) -> int:
    return one.box[0] + one.box[2]


def _holds(box: Region, x: int, y: int) -> bool:
    left, top, width, height = box
    return left - _MARGIN <= x < left + width + _MARGIN and top - _MARGIN <= y < top + height + _MARGIN


def overlaps(one: Region, other: Region) -> bool:
    """Whether two places have a part in common."""
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def _seen(one: Sighting, t_ms: int) -> Seen:
    return Seen(one.text, one.place_at(t_ms) or (0, 0, 0, 0), one.confidence, one.t_ms, one.until_ms)
