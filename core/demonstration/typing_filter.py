"""What was typed, recognised among other changes where no input was logged."""

import bisect
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from core.analysis import Event, EventKind, Region
from core.demonstration.prompts import behind_prompt, is_prompted
from core.demonstration.screen_texts import ScreenTexts, Seen, row_of, same_row
from core.demonstration.typed_texts import CARETS, COLON, LETTER_MS, SLIP, is_same_place
from core.text import one_line

_PAINTED_MS: Final = 700
"""Longest milliseconds of a page's painting, and shorter than a person needs to read it and type."""
_FRESH_MS: Final = 1500
_WHOLE_MS: Final = 1500
_FOLLOWED_MS: Final = 5000
_MANY: Final = 2
_WORD_LENGTH: Final = 4
_NEAR: Final = 2


class Named(NamedTuple):
    """Where something was typed behind a text that names it."""

    box: Region
    t_ms: int
    label: Seen

    def names(self, box: Region, t_ms: int) -> bool:
        """Whether that is the place, and the time."""
        return is_same_place(self.box, box) and 0 <= t_ms - self.t_ms <= _FOLLOWED_MS


class TypingFilter:
    """Holds a timeline to what typing looks like.

    Letters that are typed come one after another at one place, or fill an empty field at once; where many lines come at
    once, where another page came, or where something was busy, the page is being painted. A text behind a label may be
    read as one line with it.

    Args:
        timeline: of the analysis, in order.
        texts: of the recording.
        written: when a field was written into for certain, whatever came beside it.

    """

    def __init__(self, timeline: Sequence[Event], texts: ScreenTexts, written: Collection[int] = ()) -> None:
        self._texts = texts
        self._written = written
        self._pages = sorted(event.t_ms for event in timeline if event.kind is EventKind.NAVIGATED)
        self._busy = [event for event in timeline if event.kind is EventKind.BUSY and event.region is not None]
        self._typed: list[Event] = []
        self._reported_twice: set[tuple[str, str]] = set()
        self.named: list[Named] = []
        self._prompts = {one_line(event.before or "") for event in timeline if is_prompted(event)}
        timeline = [behind_prompt(event, texts) for event in timeline]
        held = [self._held(event) if event.kind is EventKind.TYPED else event for event in timeline]
        self.timeline: Sequence[Event] = [
            event
            for event in held
            if event.kind is not EventKind.CHANGED or (event.before, event.text) not in self._reported_twice
        ]

    def _held(self, event: Event) -> Event:
        event = self._behind_prompt(event)
        if event.text is None or event.region is None or not self._texts.says(event.text):
            return event
        if is_prompted(event):
            return event
        label = self._label(event, event.region)
        if label is not None:
            return self._apart(event, event.region, event.text, label)
        if event.until_ms == event.t_ms:
            # No letter of it came after another one.
            return _as(event, EventKind.CHANGED if event.before else EventKind.APPEARED)
        # What filled an empty field at once has no end.
        if event.until_ms is not None and self._is_painted(event, event.region):
            return _as(event, EventKind.APPEARED)
        self._typed.append(event)
        return event

    def _behind_prompt(self, event: Event) -> Event:
        """The same behind a prompt that this film has elsewhere: it may come with what was written before it."""
        line, before = one_line(event.text or ""), one_line(event.before or "")
        # A letter or two behind it may have been read with it.
        own = (each for each in self._prompts if not before or before.startswith(f"{each} "))
        found = next((each for each in own if line.startswith(f"{each} ")), None)
        return self._goes_on(event) if found is None else event.model_copy(update={"before": found})

    def _goes_on(self, event: Event) -> Event:
        """The same with what was typed before it behind a prompt of this film, in the same row."""
        if event.region is None or event.text is None or event.before:
            return event
        x, _, _, height = event.region
        for one in self._texts.at(max(0, event.t_ms - 1)):
            is_next = same_row(one.box, event.region) and 0 <= x - one.box[0] - one.box[2] <= height
            prompt = next((each for each in self._prompts if is_next and _is_behind(one.text, each)), None)
            if prompt is not None:
                text = f"{prompt}{one.text[len(prompt) :]} {event.text}"
                region = row_of(one.box, event.region)
                return event.model_copy(update={"text": text, "before": prompt, "region": region})
        return event

    def _label(self, event: Event, region: Region) -> Seen | None:
        """What stood at the begin of the line, and was not typed."""
        before = event.before
        if not before or not (event.text or "").startswith(f"{before} ") or event.t_ms in self._written:
            # The look says that the field holds all of it.
            return None
        goes_on = any(
            one.region is not None and is_same_place(one.region, region) and (one.text or "").startswith(before)
            for one in self._typed
        )
        if goes_on:
            return None
        there = self._texts.at(max(0, event.t_ms - 1))
        return next((one for one in there if one.text == before and same_row(one.box, region)), None)

    def _apart(self, event: Event, region: Region, text: str, label: Seen) -> Event:
        """The value without its label, where it came to stand alone; else only that something changed."""
        name, colon, _ = label.text.partition(COLON)
        if colon:
            # The begin of the value was read with the label.
            label = label._replace(text=f"{name}:")
        rest = text.removeprefix(label.text).strip()
        stem = rest[:-1] if rest[-1:] in CARETS and len(rest) > 1 else rest
        end = event.until_ms or event.t_ms
        alone = [
            one
            for one in self._texts.came(event.t_ms, end + _WHOLE_MS)
            if same_row(one.box, region) and one.box[0] >= label.box[0] + label.box[2] / 2 and one.text.startswith(stem)
        ]
        if not stem or not (alone or end - event.t_ms >= LETTER_MS * len(rest)):
            return _as(event, EventKind.CHANGED)
        value = alone[-1] if alone else _behind(event, region, rest, label)
        self._reported_twice.add((text, value.text))
        self.named.append(Named(value.box, event.t_ms, label))
        found = event.model_copy(
            update={
                "until_ms": max(end, value.t_ms),
                "text": value.text,
                "before": None,
                "region": value.box,
                "confidence": value.confidence,
            }
        )
        self._typed.append(found)
        return found

    def _is_painted(self, event: Event, region: Region) -> bool:
        end = event.until_ms or event.t_ms
        if event.t_ms in self._written:
            return False
        if self._came_whole(event, region):
            return True
        if end - event.t_ms > _PAINTED_MS:
            return False
        if event.before and not self._is_fresh(event.before, region, event.t_ms):
            return False
        at = bisect.bisect_left(self._pages, event.t_ms - _PAINTED_MS)
        if at < len(self._pages) and self._pages[at] <= event.t_ms:
            return True
        others = [one for one in self._texts.came(event.t_ms, end) if not same_row(one.box, region)]
        return len(others) >= _MANY or (bool(others) and self._was_busy(region, event.t_ms))

    def _came_whole(self, event: Event, region: Region) -> bool:
        """Whether it was nearly all there when it was first read, with another line: it was only read again later."""
        text = event.text or ""
        first = next((one for one in self._texts.came(event.t_ms, event.t_ms) if is_same_place(one.box, region)), None)
        if event.before or first is None or len(first.text) < max(_WORD_LENGTH, len(text) - SLIP):
            return False
        return any(not same_row(one.box, region) for one in self._texts.came(event.t_ms, event.t_ms))

    def _is_fresh(self, text: str, region: Region, t_ms: int) -> bool:
        """Whether it came a moment ago."""
        came = self._texts.came(t_ms - _FRESH_MS, t_ms)
        return any(one.text == text and is_same_place(one.box, region) for one in came)

    def _was_busy(self, region: Region, t_ms: int) -> bool:
        return any(
            abs((one.until_ms or one.t_ms) - t_ms) <= _PAINTED_MS and _is_beside(one.region, region)
            for one in self._busy
            if one.region is not None
        )


def _is_behind(line: str, prompt: str) -> bool:
    """Whether a line is that prompt and something behind it; the first sign of a prompt is often read as another."""
    return len(prompt) > _WORD_LENGTH and line[1:].startswith(f"{prompt[1:]} ")


def _behind(event: Event, region: Region, rest: str, label: Seen) -> Seen:
    """A value that was only read as one line with its label, letter by letter, and its place."""
    left = label.box[0] + label.box[2]
    box = (left, region[1], max(region[0] + region[2] - left, 1), region[3])
    return Seen(rest, box, event.confidence, event.until_ms or event.t_ms, None)


def _as(event: Event, kind: EventKind) -> Event:
    return event.model_copy(update={"kind": kind, "until_ms": None})


def _is_beside(one: Region, other: Region) -> bool:
    margin = _NEAR * other[3]
    return (
        one[0] - margin < other[0] + other[2]
        and other[0] - margin < one[0] + one[2]
        and one[1] - margin < other[1] + other[3]
        and other[1] - margin < one[1] + one[3]
    )
