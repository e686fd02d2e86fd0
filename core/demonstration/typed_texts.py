"""Texts that were typed, as they were read from the screen."""

import bisect
from collections.abc import Sequence
from typing import Final, NamedTuple

from core.analysis import Event, Region
from core.demonstration.gestures import Entry, begin_of
from core.demonstration.screen_texts import ScreenTexts, Seen, is_masked, same_row
from core.recording.input_log import Clicked

CARETS: Final = ("l", "I", "1", "|")
"""Characters that OCR reads for a caret."""
SLIP: Final = 1
"""One letter more or less than were typed may be a slip of the reader; more is not what was typed."""
LETTER_MS: Final = 40
"""A person needs so long for a letter at least."""
COLON: Final = ": "
"""Behind a label that is read as one line with what is typed."""
BORDERS: Final = "[]|"
"""What the edge of a field is read as."""
_EARLY_MS: Final = 400
_LATE_MS: Final = 1500
CLOCKS_MS: Final = 80
"""So much may the clocks of film and log differ."""
_ROW: Final = 2.5
_WORD: Final = 0.2
"""Pieces that stand closer, in their heights, are of one word."""
_NEXT_MS: Final = 600


class Written(NamedTuple):
    """What came to stand in a field."""

    text: str | None
    """``None`` where dots hide it."""
    before: str
    box: Region
    confidence: float


class Writings:
    """Finds it.

    Args:
        typed: what came letter by letter, by time.
        texts: of the recording.

    """

    def __init__(self, typed: Sequence[Event], texts: ScreenTexts) -> None:
        self._typed = typed
        self._times = [event.t_ms for event in typed]
        self._texts = texts

    def found(self, entry: Entry, until_ms: int) -> Written | None:
        """What came to stand where it was typed, by the timeline; ``until_ms`` is when something else was done."""
        written = self._reported_text(entry, until_ms)
        if entry.corrected or (entry.click is None and not entry.tabbed):
            return written
        if written is not None and (written.text is None or len(written.text) == entry.letters):
            return written
        return self._exact(entry, until_ms) or (self._unlabelled(written, entry) if written is not None else None)

    def _exact(self, entry: Entry, until_ms: int) -> Written | None:
        """The only text that came in the field and has as many letters as were typed, maybe in pieces."""
        until_ms = min(until_ms, entry.until_ms + _LATE_MS)
        came = [one for one in self._texts.came(entry.t_ms - CLOCKS_MS, until_ms) if _may_hold(entry, one)]
        # In a film of few pictures the whole of it may be in the next one only.
        came += [
            one
            for one in self._texts.came(until_ms + 1, until_ms + _NEXT_MS)
            if any(is_same_place(one.box, each.box) for each in came)
        ]
        stay = [one for one in came if one.until_ms is None or one.until_ms > until_ms]
        for ones in (stay, came):
            # What was read while it was still being written may have as many letters by mistake.
            alone = [Written(one.text, "", one.box, one.confidence) for one in ones]
            lines = [_line_of(one, stay) for one in ones]
            values = [self._unlabelled(each, entry) for each in (*alone, *lines)]
            exact = [each for each in values if len(each.text or "") == entry.letters]
            if exact and not any(is_masked(each.text or "") for each in exact):
                return exact[-1] if len({each.text for each in exact}) == 1 else None
        return None

    def _unlabelled(self, written: Written, entry: Entry) -> Written:
        """Without the name of the field and its edges, where those were read as one line with what stands in it."""
        text, (x, y, width, height) = written.text or "", written.box
        for label in self._texts.before_click(begin_of(entry)):
            right = label.box[0] + label.box[2]
            is_left = right <= (entry.click.x if entry.click is not None else x + width)
            if is_left and text.startswith(f"{label.text} ") and same_row(label.box, written.box):
                text, x, width = text.removeprefix(label.text).strip(), right, x + width - right
                break
        inside = text.strip(f" {BORDERS}") if len(text) != entry.letters else text
        return written._replace(text=inside or written.text, box=(x, y, max(width, 1), height))

    def _reported_text(self, entry: Entry, until_ms: int) -> Written | None:
        until_ms = min(until_ms, entry.until_ms + _LATE_MS)
        first = bisect.bisect_left(self._times, entry.t_ms - _EARLY_MS)
        during = [
            event
            for event in self._typed[first : bisect.bisect_right(self._times, until_ms)]
            if (event.until_ms or event.t_ms) >= entry.t_ms - _EARLY_MS
        ]
        if entry.click is not None and len(during) > 1:
            during = _in_field(during, entry.click)
        if len(during) == 1:
            (event,) = during
            text = None if event.text is None or is_masked(event.text) else event.text
            box, sure = event.region or (0, 0, 0, 0), event.confidence
            whole = self._whole(text, box, event.t_ms, until_ms) if text else None
            if whole is not None and len(text or "") < entry.letters:
                text, box, sure = whole.text, whole.box, whole.confidence
            return Written(text, event.before or "", box, sure)
        came = [
            one
            for one in self._texts.came(entry.t_ms - _EARLY_MS, until_ms)
            if (one.until_ms is None or one.until_ms > min(until_ms, entry.until_ms))
            and (entry.click is None or _is_near(one.box, entry.click.y))
        ]
        if not during and came and all(is_same_place(one.box, came[-1].box) for one in came):
            # What came there bit by bit was read bit by bit: the last of it is the whole.
            one = came[-1]
            if is_masked(one.text):
                return Written(None, "", one.box, one.confidence)
            before = "" if entry.click is not None or entry.tabbed else self._prompt(one, entry.t_ms)
            if not entry.corrected and abs(len(one.text[len(before) :].strip()) - entry.letters) > SLIP + 1:
                # It is not all that was written there, or not only that.
                return None
            return Written(one.text, before, one.box, one.confidence)
        return None

    def _prompt(self, one: Seen, t_ms: int) -> str:
        """What stood there before, and still stands at its begin."""
        there = (each for each in self._texts.at(max(0, t_ms - _EARLY_MS)) if is_same_place(each.box, one.box))
        return next((each.text for each in there if one.text.startswith(each.text)), "")

    def settled(self, event: Event, until_ms: int) -> str | None:
        """What stood in the end where letters came; ``None`` where dots hide it."""
        if event.text is None or event.region is None:
            return event.text
        region, text = event.region, event.text
        end = event.until_ms or event.t_ms
        came = [
            one for one in self._texts.came(event.t_ms, min(until_ms, end + _LATE_MS)) if is_same_place(one.box, region)
        ]
        later = [one for one in came if one.text.startswith(text) or text[:-1] == one.text]
        text = max(later, key=lambda one: one.t_ms).text if later else text
        # A caret behind it is read as a letter; what it was is known where it is said again.
        has_caret = (
            text[-1:] in CARETS
            and not text[-1:].isdigit()
            and len(text) > SLIP + 1
            and self._texts.says_words(text[:-1])
        )
        return text[:-1] if has_caret else text

    def _whole(self, text: str, box: Region, since_ms: int, until_ms: int) -> Seen | None:
        """The longest text that began like this one and came to stand in its place."""
        came = [one for one in self._texts.came(since_ms, until_ms) if is_same_place(one.box, box)]
        return max((one for one in came if one.text.startswith(text)), key=lambda one: len(one.text), default=None)


def _may_hold(entry: Entry, one: Seen) -> bool:
    """Whether a text stands where a field was clicked; after Tab, that may be anywhere."""
    return entry.click is None or (_is_near(one.box, entry.click.y) and one.box[0] <= entry.click.x)


def _line_of(one: Seen, others: Sequence[Seen]) -> Written:
    """A text with what stands behind it in its row."""
    text, (x, y, width, height), sure = one.text, one.box, one.confidence
    row = sorted((each for each in others if same_row(each.box, one.box)), key=lambda each: each.box[0])
    for each in row:
        gap = each.box[0] - x - width
        if -height / 4 <= gap <= height:
            text += each.text if gap < _WORD * height else f" {each.text}"
            width, sure = each.box[0] + each.box[2] - x, min(sure, each.confidence)
    return Written(text, "", (x, y, width, height), sure)


def _in_field(events: Sequence[Event], click: Clicked) -> list[Event]:
    """What came where it was clicked: of several letters in a row of fields, those that begin nearest before it.

    Letters that came in two goes are one text: the last of them.
    """
    near = [event for event in events if event.region is not None and _is_near(event.region, click.y)]
    left = [event for event in near if event.region is not None and event.region[0] <= click.x]
    if not left:
        return near or list(events)
    first = max(left, key=lambda event: event.region[0] if event.region is not None else 0)
    return [max((event for event in left if _is_one_field(event, first)), key=lambda event: event.t_ms)]


def _is_one_field(one: Event, other: Event) -> bool:
    return one.region is not None and other.region is not None and is_same_place(one.region, other.region)


def _is_near(box: Region, y: int) -> bool:
    return abs(box[1] + box[3] / 2 - y) <= _ROW * box[3]


def is_same_place(one: Region, other: Region) -> bool:
    """Whether two texts begin in about one place."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) <= 2 * other[3]
