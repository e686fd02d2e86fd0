"""Where a demonstration must be looked at again, and what was seen: the thing under a click, what a field held.

A timeline tells lines of text as they came; which of two buttons side by side was hit, and what a field shows at the
end, is read from the pictures of just those moments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from core.analysis import COMES, Action, ActionKind, Event, EventKind, Findings, Region
from core.demonstration.gestures import Entry, Gesture, begin_of, end_of, gestures_of
from core.demonstration.prompts import behind_prompt, is_prompted
from core.demonstration.screen_texts import ScreenTexts, Seen, Span, hidden_spans, is_plain_label, overlaps, same_row
from core.demonstration.typed_texts import CLOCKS_MS, SLIP
from core.recording.input_log import Clicked, InputLog, Pressed

_BEFORE_MS: Final = 60
"""A picture so long before a click shows what was clicked, and nothing that came of it."""
_EARLIER_MS: Final = 700
_SETTLED_MS: Final = 250
_AFTER_MS: Final = 600
_LATER_MS: Final = 900
_WRITTEN_MS: Final = 1600
"""A field that still says the same so long after its last letter has all of them."""
_EARLY_MS: Final = 400
_INSIDE: Final = 4
_DRAWN_MS: Final = 80
_SHOWN_MS: Final = 40
"""By then the pointer is drawn where it clicked."""
_HIGH: Final = 2
"""Heights of a row's texts above and below them: an icon is higher than words."""
_LETTERS: Final = 3
_EFFECTS: Final = frozenset({*COMES, EventKind.VANISHED})


class Wanted(NamedTuple):
    """The picture of a moment: the last one until then, and of a film with few pictures, if that is too old, the next.

    Times in milliseconds.
    """

    since_ms: int
    """What it must show happened then; 0 where any age will do."""
    until_ms: int

    def is_shown_at(self, t_ms: int, *, is_dense: bool) -> bool:
        """Whether a picture of that time shows what happened: it takes a little while until that is drawn.

        In a dense film the pictures of a change follow each other, and the last of them shows all of it.
        """
        return not self.since_ms or t_ms >= self.since_ms + (0 if is_dense else _DRAWN_MS)


class Moment(NamedTuple):
    """Something that was done at a place; times in milliseconds, the place in pixels."""

    key: int
    """When it began: by it, its look is found."""
    earlier_ms: int
    """While the pointer was still on its way, and hid nothing there."""
    before_ms: int
    after_ms: int
    later_ms: int
    """After the next thing was done as well: what was chosen from a list stands there then, and no caret any more."""
    x: int
    y: int
    types: bool
    """Whether something was typed there."""
    done_ms: int = 0
    """When it was over: what was taken before shows a part of it."""
    next_done_ms: int = 0
    """When the next thing was over."""
    row: Region | None = None
    """The rows in which an icon was clicked, from its first text to its last; ``None`` of anything else."""
    names: tuple[str, ...] = ()
    """What that row alone says."""

    @property
    def wanted(self) -> tuple[Wanted, Wanted, Wanted, Wanted]:
        """The pictures to look at."""
        return (
            Wanted(0, self.earlier_ms),
            Wanted(0, self.before_ms),
            Wanted(self.done_ms, self.after_ms),
            Wanted(self.next_done_ms, self.later_ms),
        )


class Look(NamedTuple):
    """What was seen at a moment."""

    phrase: str = ""
    """The thing, in words by which it is found at just that place of that picture; empty if there are none."""
    field: str = ""
    """The same for the field at that place, whose name stands in it or beside it."""
    label: str = ""
    """The text that the phrase quotes."""
    before: str = ""
    """What the field held."""
    after: str = ""
    later: str = ""
    masked: bool = False
    """Whether dots hide what it held after."""
    several_lines: bool = False
    """Whether it has room for more than one line."""
    caret: bool = False
    """Whether a caret stands behind that, which may have been read as its last letter."""
    mark: str = ""
    """``check box`` or ``radio button`` where there is one."""
    is_set: bool | None = None
    """Whether that is set after the click."""
    line: str = ""
    """The whole line at that place after it was typed."""
    ends: bool = False
    """Whether nothing stands behind what was read of it, not even a dot."""


LooksByTime = dict[int, Look]
"""Looks by the time of their moments."""


def moments_of(findings: Findings, log: InputLog | None, duration_ms: int) -> list[Moment]:
    """Where to look, in order: nowhere while a password manager is in front."""
    sightings = findings.sightings or ()
    hidden = hidden_spans(sightings, log, duration_ms)
    typed = [event for event in findings.timeline if event.kind is EventKind.TYPED and event.region is not None]
    if log is None:
        texts = ScreenTexts(sightings, hidden)
        events = [behind_prompt(event, texts) for event in findings.timeline]
        seen = [event for event in events if event.kind is EventKind.TYPED and event.region]
        found = [_seen(event, events, texts, duration_ms) for event in seen]
        typed_at = {moment.key for moment in found}
        found += [one for one in _icons(findings, texts) if one.key not in typed_at]
    else:
        gestures = gestures_of(log)
        places = _Places(typed, ScreenTexts(sightings, hidden))
        moments = (_moment(gestures, at, places, duration_ms) for at in range(len(gestures)))
        found = [moment for moment in moments if moment is not None]
    return [seen for each in found if (seen := _outside(each, hidden)) is not None]


def _outside(moment: Moment, hidden: Sequence[Span]) -> Moment | None:
    """The moment without the looks at what may not be seen; ``None`` if it is one of those itself."""
    if any(span.holds(t) for span in hidden for t in (moment.key, moment.before_ms, moment.after_ms)):
        return None
    earlier, later = (any(span.holds(t) for span in hidden) for t in (moment.earlier_ms, moment.later_ms))
    return moment._replace(
        earlier_ms=moment.before_ms if earlier else moment.earlier_ms,
        later_ms=moment.after_ms if later else moment.later_ms,
        next_done_ms=moment.done_ms if later else moment.next_done_ms,
    )


def _seen(event: Event, timeline: Sequence[Event], texts: ScreenTexts, duration_ms: int) -> Moment:
    end = event.until_ms or event.t_ms
    after = min(end + _AFTER_MS, duration_ms)
    # What comes there next, as a pager over a command, hides it; and a command moves with what it writes.
    place, is_command = event.region or (0, 0, 0, 0), is_prompted(event)
    following = (
        one.t_ms
        for one in timeline
        if one.t_ms > end and one.region is not None and (is_command or overlaps(one.region, place))
    )
    after = max(end, min(after, next(following, after + _DRAWN_MS) - _DRAWN_MS))
    before = max(0, event.t_ms - _EARLY_MS)
    later = min(end + _WRITTEN_MS, duration_ms)
    # What a terminal answers may have moved the line.
    moved = next((one.box for one in texts.at(after) if one.text == event.text), None) if is_command else None
    x, y, width, height = moved or place
    # The border of its field, or an icon, may have been read with it.
    inside = max(_INSIDE, min(width // 2, height))
    return Moment(event.t_ms, before, before, after, later, x + inside, y + height // 2, types=True)


def is_nameless(action: Action) -> bool:
    """Whether it is a click on no words, as on an icon."""
    return action.kind is ActionKind.CLICK and not action.target


def _icons(findings: Findings, texts: ScreenTexts) -> list[Moment]:
    """Where to look for an icon: where something came of a click on no words, in the row of a text that stands once."""
    found: list[Moment] = []
    for at, action in enumerate(findings.actions):
        has_effect = any(event.cause == at and event.kind in _EFFECTS for event in findings.timeline)
        if not is_nameless(action) or not has_effect or action.region is None:
            continue
        x, y, before = action.region[0], action.region[1], max(0, action.t_ms - _BEFORE_MS)
        there = texts.at(before)
        row = [one for one in there if abs(one.middle[1] - y) <= one.box[3]]
        typed = {event.text for event in findings.timeline if event.kind is EventKind.TYPED and event.t_ms < before}
        names = _own_words(row, there, typed)
        if names:
            earlier = max(0, action.t_ms - _EARLIER_MS)
            after = action.t_ms + _SHOWN_MS
            moment = Moment(action.t_ms, earlier, before, after, after, x, y, types=False)
            found.append(moment._replace(row=_rows_of(row), names=names))
    return found


def _own_words(row: Sequence[Seen], there: Sequence[Seen], typed: Collection[str | None]) -> tuple[str, ...]:
    """The words of a row that stand nowhere else: first what was typed, which says whose row it is; from left to right.

    In a board of several columns the first text of a row may be another card's.
    """
    said = [one.text.casefold() for one in there]
    words = (one for one in row if one.is_quotable and sum(map(str.isalpha, one.text)) >= _LETTERS)
    own = [one for one in words if said.count(one.text.casefold()) == 1]
    return tuple(one.text for one in sorted(own, key=lambda one: (one.text not in typed, one.box[0])))


def _rows_of(row: Sequence[Seen]) -> Region:
    """What is looked at: these texts, and what an icon takes above and below them."""
    high = max(one.box[3] for one in row)
    top, bottom = min(one.box[1] for one in row) - _HIGH * high, max(one.box[1] + one.box[3] for one in row)
    left, right = min(one.box[0] for one in row), max(one.box[0] + one.box[2] for one in row)
    return left, max(0, top), right - left, bottom + _HIGH * high - max(0, top)


def _moment(gestures: Sequence[Gesture], at: int, places: _Places, duration_ms: int) -> Moment | None:
    gesture = gestures[at]
    place = places.of(gesture)
    if place is None:
        return None
    begins = [begin_of(each) for each in gestures[at + 1 : at + 3]]
    following, second = [*begins, duration_ms, duration_ms][:2]
    end, begin = end_of(gesture), begin_of(gesture)
    after = max(end, min(end + _AFTER_MS, following - _BEFORE_MS))
    then, later = end, after
    if at + 1 < len(gestures) and isinstance(gestures[at + 1], Clicked | Pressed | Entry):
        then = end_of(gestures[at + 1])
        later = max(after, min(then + _LATER_MS, second - _BEFORE_MS))
    before = max(0, begin - _BEFORE_MS)
    last = end_of(gestures[at - 1]) + _SETTLED_MS if at else 0
    earlier = min(before, max(begin - _EARLIER_MS, last))
    types = isinstance(gesture, Entry)
    return Moment(begin, earlier, before, after, later, *place, types=types, done_ms=end, next_done_ms=then)


class _Places:
    """Where something was done: where it was clicked, or where letters came when they were typed."""

    def __init__(self, typed: Sequence[Event], texts: ScreenTexts) -> None:
        self._typed = typed
        self._texts = texts

    def of(self, gesture: Gesture) -> tuple[int, int] | None:
        """In pixels; ``None`` when unknown."""
        match gesture:
            case Clicked():
                return gesture.x, gesture.y
            case Entry():
                if gesture.click is not None:
                    return gesture.click.x, gesture.click.y
                region = self._typed_at(gesture) or self._came_at(gesture)
                return (region[0] + _INSIDE, region[1] + region[3] // 2) if region is not None else None
            case _:
                return None

    def _typed_at(self, entry: Entry) -> Region | None:
        during = [
            event
            for event in self._typed
            if event.t_ms <= entry.until_ms + _AFTER_MS and (event.until_ms or event.t_ms) >= entry.t_ms - CLOCKS_MS
        ]
        if len(during) > 1:
            # In a film of few pictures, what was typed before Tab may be seen after it.
            during = [event for event in during if event.t_ms >= entry.t_ms]
        return during[0].region if len(during) == 1 else None

    def _came_at(self, entry: Entry) -> Region | None:
        """Where alone a text came of as many letters, or where all came that did: in pieces, maybe, of one line."""
        came = list(self._texts.came(entry.t_ms, entry.until_ms + _WRITTEN_MS))
        found = [one.box for one in came if abs(len(one.text) - entry.letters) <= SLIP]
        if len(found) == 1:
            return found[0]
        is_line = bool(came) and all(same_row(one.box, came[-1].box) for one in came)
        return min((one.box for one in came), key=lambda box: box[0]) if is_line else None


def look_of(looks: Mapping[int, Look], key: int) -> Look:
    """The look at a moment; an empty one without a look."""
    return looks.get(key) or Look()


def is_confirmed(event: Event, label: Seen, look: Look) -> bool:
    """Whether the line at that place says what was typed, word for word, behind a label that ends as one.

    A row of fields may be read as one; of another label the row has nothing else.
    """
    words = event.text or ""
    is_there = bool(words) and f" {words} " in f" {look.line} "
    is_row = look.line == f"{label.text} {words}"
    return is_there and label.text == event.field and (is_row or is_plain_label(label.text))
