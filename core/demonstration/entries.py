"""What was typed into which field: what came to stand there while letters were typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from core.analysis import EventKind
from core.demonstration.screen_texts import clean, is_masked, label_of, under
from core.demonstration.shown import clock, known, place_name, unknown
from core.plan_grammar import FOCUS, Parts
from core.plan_quotes import marks
from core.templates import LITERAL, PLACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event, Region
    from core.demonstration.gestures import Entry
    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.demonstration.shown import ShownStep

_EARLY_MS: Final = 400
_LATE_MS: Final = 1500
_ROW: Final = 2.5
_SURE: Final = 0.85
_SLIP: Final = 1
"""One letter more or less than were typed may be a slip of the reader; more is not what was typed."""


class Written(NamedTuple):
    """What came to stand in a field."""

    text: str | None
    """``None`` where dots hide it."""
    before: str
    box: Region
    confidence: float


class Entries:
    """Finds what was typed.

    Args:
        timeline: of the analysis, without what may not be learned.
        texts: of the recording.

    """

    def __init__(self, timeline: Sequence[Event], texts: ScreenTexts) -> None:
        self._texts = texts
        self._typed = [event for event in timeline if event.kind is EventKind.TYPED and event.region is not None]
        self._values = [(event.t_ms, event.region) for event in self._typed if event.region is not None]

    @property
    def events(self) -> Sequence[Event]:
        """Everything that came letter by letter."""
        return self._typed

    def step_of(self, entry: Entry, until_ms: int) -> ShownStep:
        """The step for letters that the log tells of; ``until_ms`` is when something else was done."""
        start = entry.click.t_ms if entry.click is not None else entry.t_ms
        written = self._written(entry, min(until_ms, entry.until_ms + _LATE_MS))
        if written is None:
            return self._unseen(entry, start)
        label = self.label(written.box, start, entry)
        if label is None and (entry.click is not None or entry.tabbed):
            return unknown(
                start,
                entry.until_ms,
                f"Type what was typed at {clock(entry.t_ms)} (see the questions).",
                "nothing that was read names the field that was typed into",
            )
        return self.written(start, entry.until_ms, written, label, entry)

    def written(
        self, start: int, end: int, written: Written, label: Seen | None, entry: Entry | None = None
    ) -> ShownStep:
        """The step for a text in a field; without a label it is typed where the focus is."""
        target = f"the {marks(label.text)} field" if label is not None else FOCUS
        name = label.text if label is not None else "Value"
        if written.text is None:
            place = place_name(name, hidden=True)
            return known(start, end, Parts("TYPE", target, f"{{{place}}}"), secret=place)
        value = written.text
        if label is None and value.startswith(written.before):
            # At a prompt, what stood there before stays.
            value = value[len(written.before) :].strip()
        value = clean(value)
        typed = entry.letters if entry is not None and not entry.corrected else None
        if not value or written.confidence < _SURE or (typed is not None and abs(len(value) - typed) > _SLIP):
            if value and typed is not None and len(value) > typed + _SLIP and written.before:
                # The field went on from what it held: it shall hold the same again.
                return known(start, end, _typing(target, value))
            place = place_name(name, hidden=False)
            return known(start, end, Parts("TYPE", target, f"{{{place}}}"), missing=place)
        remark = ""
        if typed is not None and typed != len(value):
            remark = f"Was {marks(value) or 'this'} typed at {clock(start)}, to the letter? {typed} letters were typed."
        return known(start, end, _typing(target, value), remark=remark)

    def label(self, box: Region, t_ms: int, entry: Entry | None = None) -> Seen | None:
        """What names the field with that text in it."""
        seen = self._texts.before_click(t_ms)
        values = [region for when, region in self._values if when <= t_ms and not _same(region, box)]
        label = label_of(box, [one for one in seen if not _within(one.box, box)], values)
        if label is None or not label.is_quotable:
            held = under(seen, entry.click.x, entry.click.y) if entry is not None and entry.click is not None else None
            label = None
            if held is not None and held.is_quotable and held.until_ms is not None:
                # A hint that stands in the empty field names it as well.
                label = held
        return label

    def _written(self, entry: Entry, until_ms: int) -> Written | None:
        """What came to stand where it was typed, by the timeline."""
        during = [
            event
            for event in self._typed
            if event.t_ms >= entry.t_ms - _EARLY_MS
            and event.t_ms <= until_ms
            and (event.until_ms or event.t_ms) >= entry.t_ms - _EARLY_MS
        ]
        if entry.click is not None and len(during) > 1:
            y = entry.click.y
            during = [event for event in during if event.region is not None and _is_near(event.region, y)] or during
        if len(during) == 1:
            (event,) = during
            text = None if event.text is None or is_masked(event.text) else event.text
            return Written(text, event.before or "", event.region or (0, 0, 0, 0), event.confidence)
        came = [
            one
            for one in self._texts.came(entry.t_ms - _EARLY_MS, until_ms)
            if (one.until_ms is None or one.until_ms > min(until_ms, entry.until_ms))
            and (entry.click is None or _is_near(one.box, entry.click.y))
        ]
        if not during and len(came) == 1:
            (one,) = came
            return Written(None if is_masked(one.text) else one.text, "", one.box, one.confidence)
        return None

    def _unseen(self, entry: Entry, start: int) -> ShownStep:
        return unknown(
            start,
            entry.until_ms,
            f"Type what was typed at {clock(entry.t_ms)} (see the questions).",
            f"{entry.letters} letter{'s' if entry.letters > 1 else ''} were typed, and could not be read on the screen",
        )


def _typing(target: str, value: str) -> Parts:
    args: dict[str, Any] = {LITERAL: True} if PLACE.search(value) else {}
    return Parts("TYPE", target, value, args=args)


def _is_near(box: Region, y: int) -> bool:
    return abs(box[1] + box[3] / 2 - y) <= _ROW * box[3]


def _same(one: Region, other: Region) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) <= 2 * other[3]


def _within(one: Region, other: Region) -> bool:
    """Whether the middle of the first is in the second: an earlier text of the same field."""
    x, y = one[0] + one[2] / 2, one[1] + one[3] / 2
    return other[0] <= x <= other[0] + other[2] and other[1] <= y <= other[1] + other[3]
