"""The steps of a demonstration whose input was logged, and the words that name the target of a click."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final, NamedTuple, TypeGuard

from core.demonstration.distinctive import is_plainly_read, is_volatile
from core.demonstration.gestures import Entry, Gesture, begin_of, end_of
from core.demonstration.looks import Look, LooksByTime, look_of
from core.demonstration.screen_texts import ScreenTexts, Seen, same_row, under
from core.demonstration.shown import clock, known, unknown
from core.demonstration.success_criteria import title_after
from core.demonstration.touched import address_of, choice_at, is_named, is_text, mark_of, phrase_of, qualified
from core.key_names import parse_chord
from core.plans.grammar import MOST_TIMES
from core.plans.phrasing import ORDINALS, marks, quoted
from core.recording.input_log import Clicked, Dragged, Pressed, Scrolled
from core.steps import BROWSER, CHOSEN, FOCUS, KEYBOARD, PAGE, TICKED, UNTICKED, ActionType, Step
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event, Region
    from core.demonstration.entries import EntryFinder
    from core.recording.input_log import InputLog


_PADDING: Final = 1.3
"""A button's words end so many of their heights before its edge, at most; a check box is as far from its label."""
_LONG: Final = 14
"""A text wider than so many of its heights is more than one thing: a click far from its middle meant a part of it."""
_MIDDLE: Final = 0.25


class Named(NamedTuple):
    """A name, or why there is none."""

    phrase: str
    seen: Seen | None
    why: str = ""


def name_at(x: int, y: int, seen: Sequence[Seen]) -> Named:
    """The name of what is at a point.

    Args:
        x: the point's, in pixels.
        y: likewise.
        seen: what stood on the screen then.

    """
    found = under(seen, x, y) or _beside(x, y, seen)
    if found is None:
        return Named("", None, "no text was read there")
    if not found.is_quotable:
        return Named("", found, "what stands there could not be read surely")
    left, _, width, height = found.box
    if width > _LONG * height and abs(x - left - width / 2) > _MIDDLE * width:
        return Named("", found, "only a part of the text there was meant")
    return phrase_for(found, seen)


def phrase_for(found: Seen, seen: Sequence[Seen]) -> Named:
    """A text as a target: quoted, and with its row or its number where the same text stands there several times."""
    quoted = marks(found.text)
    if quoted is None:
        return Named("", found, "it has every kind of quotation mark in it")
    twins = [one for one in seen if one.text.casefold() == found.text.casefold()]
    if len(twins) == 1:
        return Named(quoted, found)
    row = _row_of(found, seen)
    if row is not None:
        return Named(f"{quoted} in the row of {marks(row.text)}", found)
    at = _in_order(twins).index(found)
    if at < len(ORDINALS):
        return Named(f"{ORDINALS[at]} {quoted}", found)
    return Named("", found, f"the same text stands there {len(twins)} times")


def has_one(text: str, seen: Sequence[Seen]) -> bool:
    """Whether a text stands there once."""
    return sum(one.text.casefold() == text.casefold() for one in seen) == 1


def _beside(x: int, y: int, seen: Sequence[Seen]) -> Seen | None:
    """The only text so near that the point is on the same button, or on its check box."""
    near = [one for one in seen if _gap(one.box, x, y) <= _PADDING * one.box[3]]
    if not near:
        return None
    nearest = min(near, key=lambda one: _gap(one.box, x, y))
    rivals = [one for one in near if one is not nearest and _gap(one.box, x, y) < 2 * _gap(nearest.box, x, y)]
    return None if rivals else nearest


def _gap(box: Region, x: int, y: int) -> float:
    left, top, width, height = box
    across = max(left - x, x - left - width, 0)
    down = max(top - y, y - top - height, 0)
    # Nothing stands farther above or below its words than it is high.
    return max(across, 2 * down)


def _row_of(found: Seen, seen: Sequence[Seen]) -> Seen | None:
    """The first text of a row, which says whose the row is, if it stands there only once."""
    row = [one for one in seen if one is not found and same_row(one.box, found.box) and one.is_quotable]
    own = [one for one in row if has_one(one.text, seen) and any(sign.isalpha() for sign in one.text)]
    return min(own, key=lambda one: one.box[0], default=None)


def _in_order(twins: Sequence[Seen]) -> list[Seen]:
    rows: list[list[Seen]] = []
    for one in sorted(twins, key=lambda each: each.middle[1]):
        if rows and same_row(rows[-1][0].box, one.box):
            rows[-1].append(one)
        else:
            rows.append([one])
    return [one for row in rows for one in sorted(row, key=lambda each: each.box[0])]


_EFFECT_MS: Final = 3000
_STANDS_MS: Final = 700
_LETTERS: Final = 4
_CLICKS: Final[dict[tuple[str, int], ActionType]] = {
    ("left", 1): "CLICK",
    ("left", 2): "DOUBLE_CLICK",
    ("right", 1): "RIGHT_CLICK",
    ("middle", 1): "MIDDLE_CLICK",
}


class LoggedSteps:
    """Tells the steps.

    Args:
        gestures: what was done, without what may not be learned.
        texts: of the recording.
        entries: finds what was typed.
        timeline: what changed on the screen.
        looks: what was seen when the recording was looked at again; may be empty.
        duration_ms: of the recording.
        log: tells which windows came; ``None`` without one.

    """

    def __init__(  # noqa: PLR0917 - the parts of one recording
        self,
        gestures: Sequence[Gesture],
        texts: ScreenTexts,
        entries: EntryFinder,
        timeline: Sequence[Event],
        looks: LooksByTime,
        duration_ms: int,
        log: InputLog | None = None,
    ) -> None:
        self._log = log
        self._gestures = gestures
        self._texts = texts
        self._entries = entries
        self._changes = sorted(event.t_ms for event in timeline)
        self._looks = looks
        self._duration_ms = duration_ms
        self.idle: list[int] = []
        """When something without a name was clicked, to no visible effect."""

    def steps(self) -> list[Step]:
        """The steps, in order."""
        found: list[Step] = []
        at = 0
        while at < len(self._gestures):
            reported = self._reported(at)
            if reported is not None:
                found.append(reported[0])
                at += reported[1]
                continue
            chosen = self._choice(at)
            if chosen is not None:
                found.append(chosen)
                at += 2
                continue
            found += self._steps(at)
            at += 1
        return _repeated(found)

    def _steps(self, at: int) -> list[Step]:
        """The step of one gesture, with the keys and the click that lead to where letters go without a name."""
        gesture, step = self._gestures[at], self._step(at)
        if step is None:
            return []
        if not isinstance(gesture, Entry) or (step.is_known and step.target.primary != FOCUS):
            return [step]
        is_led = gesture.click is not None and step.is_known
        click = self._click(gesture.click, gesture.t_ms) if is_led and gesture.click is not None else None
        keys = [self._key(each, each.t_ms) for each in gesture.lead]
        return [*([click] if click is not None else []), *keys, step]

    def _reported(self, at: int) -> tuple[Step, int] | None:
        """What several gestures did together, as the programs told it: a choice from a list, a page that was opened."""
        first = self._gestures[at]
        if (choice := choice_at(self._gestures, at)) is not None:
            end = end_of(self._gestures[at + choice.length - 1])
            return known(begin_of(first), end, Step.of("TYPE", choice.target).typing(choice.value)), choice.length
        second = self._gestures[at + 1] if at + 1 < len(self._gestures) else None
        if isinstance(first, Entry) and isinstance(second, Pressed) and second.keys == ("enter",):
            address = address_of(first)
            if address is not None:
                return known(begin_of(first), end_of(second), Step.of("OPEN_URL", BROWSER, address)), 2
        return None

    def _step(self, at: int) -> Step | None:
        gesture, until = self._gestures[at], self._next(at)
        match gesture:
            case Entry():
                return self._entries.step_of(gesture, until)
            case Clicked():
                return self._click(gesture, until)
            case Dragged():
                return self._drag(gesture)
            case Scrolled():
                return _scroll(gesture)
            case Pressed():
                return self._key(gesture, until)

    def _next(self, at: int) -> int:
        return begin_of(self._gestures[at + 1]) if at + 1 < len(self._gestures) else self._duration_ms

    def _click(self, click: Clicked, until: int) -> Step | None:
        named = name_at(click.x, click.y, self._texts.before_click(click.t_ms))
        look = look_of(self._looks, click.t_ms)
        if self._looks:
            phrase = look.phrase or look.field
            named = Named(phrase, named.seen, named.why or "its words do not lead back to just that place")
        action = _CLICKS.get((click.button, click.count))
        named = self._reported_name(click, named)
        if named.phrase and action is not None:
            marked = _mark_of(look, action)
            if click.element is not None and action == "CLICK":
                marked = mark_of(click.element) or marked
            posts = (*marked, *self._effect(click.t_ms, until))
            return known(click.t_ms, click.t_ms, Step.of(action, named.phrase, post=posts))
        if named.seen is None and not self._changed(click.t_ms, until):
            self.idle.append(click.t_ms)
            return None
        why = named.why if action is not None else f"it was clicked {click.count} times"
        return unknown(
            click.t_ms,
            click.t_ms,
            f"Click what was clicked at {clock(click.t_ms)} (see the questions).",
            f"what was clicked {self._before(click.t_ms, until)}cannot be told, for {why}",
        )

    def _reported_name(self, click: Clicked, named: Named) -> Named:
        """The name that its program gives what was clicked; what was read there tells it from others of that name."""
        element = click.element
        if element is None or not is_named(element) or (is_text(element) and named.phrase):
            return named
        name = one_line(element.name).casefold()
        read = name_at(click.x, click.y, self._texts.before_click(click.t_ms))
        for phrase, label in ((named.phrase, _quote_of(named.phrase)), (read.phrase, _quote_of(read.phrase))):
            if label == name:
                return Named(qualified(phrase, element), named.seen)
        return Named(phrase_of(element), named.seen)

    def _key(self, key: Pressed, until: int) -> Step:
        try:
            keys = "+".join(parse_chord(key.keys))
        except ValueError:
            return unknown(
                key.t_ms,
                key.t_ms,
                f"Press what was pressed at {clock(key.t_ms)} (see the questions).",
                "a key was pressed that has no name here",
            )
        return known(key.t_ms, key.t_ms, Step.of("KEYPRESS", KEYBOARD, keys, post=self._effect(key.t_ms, until)))

    def _drag(self, drag: Dragged) -> Step:
        start = name_at(drag.x, drag.y, self._texts.before_click(drag.t_ms))
        end = name_at(drag.to_x, drag.to_y, self._texts.before_click(drag.t_ms))
        is_one = start.seen is not None and start.seen == end.seen
        if start.phrase and end.phrase and not is_one and drag.button == "left":
            return known(drag.t_ms, drag.until_ms, Step.of("DRAG", start.phrase, args={"to": end.phrase}))
        return unknown(
            drag.t_ms,
            drag.until_ms,
            f"Drag what was dragged at {clock(drag.t_ms)} (see the questions).",
            "what was dragged, or where to, cannot be told",
        )

    def _choice(self, at: int) -> Step | None:
        """A click that opened a list and a click on what stood in it, after which that stands in the list's place."""
        first, second = [*self._gestures[at : at + 2], None][:2]
        if isinstance(first, Entry) and (isinstance(second, Pressed) and second.keys == ("enter",)):
            return self._entries.chosen(first)
        if not (_is_plain(first) and _is_plain(second)):
            return None
        look = look_of(self._looks, first.t_ms)
        if look.field:
            option = name_at(second.x, second.y, self._texts.before_click(second.t_ms)).seen
            is_new = option is not None and option.text == look.later and first.t_ms <= option.t_ms
            if not is_new or look.later in ("", look.before) or not look.field.endswith(" field"):
                return None
            target = f"{look.field.removesuffix('field')}dropdown"
            return known(first.t_ms, second.t_ms, Step.of("TYPE", target, look.later))
        return self._seen_choice(first, second, min(self._next(at + 1), second.t_ms + _EFFECT_MS))

    def _seen_choice(self, first: Clicked, second: Clicked, end: int) -> Step | None:
        chosen = name_at(second.x, second.y, self._texts.before_click(second.t_ms)).seen
        if chosen is None or not chosen.is_quotable or not first.t_ms <= chosen.t_ms <= second.t_ms:
            return None
        shown = [one for one in self._texts.at(end - 1) if one.text == chosen.text and _holds_row(one, first)]
        label = self._entries.label(shown[0].box, first.t_ms) if len(shown) == 1 else None
        if label is None or shown[0].t_ms < second.t_ms - _EFFECT_MS:
            return None
        return known(first.t_ms, second.t_ms, Step.of("TYPE", f"the {marks(label.text)} dropdown", chosen.text))

    def _effect(self, t_ms: int, until: int) -> tuple[str, ...]:
        """One text that came after it, and stood when the next thing was done."""
        end = min(until, t_ms + _EFFECT_MS)
        if title := title_after(self._log, t_ms, end):
            return (f"{marks(title)} is shown.",)
        came = [
            one
            for one in self._texts.came(t_ms, end)
            if one.is_quotable
            and is_plainly_read(one.text)
            and not is_volatile(one.text)
            and sum(sign.isalpha() for sign in one.text) >= _LETTERS
            and not self._texts.said_before(one.text, t_ms)
            and (one.until_ms is None or one.until_ms >= min(until, one.t_ms + _STANDS_MS))
            and not any(one.text == event.text for event in self._entries.events)
        ]
        plain = [one for one in came if not any(sign.isdigit() for sign in one.text)] or came
        best = max(plain, key=lambda one: (one.box[3], one.confidence), default=None)
        return (f"{marks(best.text)} is shown.",) if best is not None else ()

    def _changed(self, t_ms: int, until: int) -> bool:
        end = min(until, t_ms + _EFFECT_MS)
        at = bisect.bisect_left(self._changes, t_ms)
        return at < len(self._changes) and self._changes[at] <= end

    def _before(self, t_ms: int, until: int) -> str:
        end = min(until, t_ms + _EFFECT_MS)
        came = [one for one in self._texts.came(t_ms, end) if one.is_quotable]
        first = min(came, key=lambda one: (one.t_ms, one.box[1]), default=None)
        return f"before {marks(one_line(first.text))} appeared " if first is not None else ""


def _mark_of(look: Look, action: ActionType) -> tuple[str, ...]:
    """What a check box or radio button is after the click, if its picture tells."""
    if action != "CLICK" or not look.mark or look.is_set is None:
        return ()
    if look.mark == "radio button":
        return (CHOSEN,) if look.is_set else ()
    return (TICKED,) if look.is_set else (UNTICKED,)


def _quote_of(phrase: str) -> str:
    """The first quotation of a phrase, without regard of case."""
    said = quoted(phrase)
    return said.texts[0].casefold() if said is not None and said.texts else ""


def _is_plain(gesture: Gesture | None) -> TypeGuard[Clicked]:
    return isinstance(gesture, Clicked) and (gesture.button, gesture.count) == ("left", 1)


def _holds_row(one: Seen, click: Clicked) -> bool:
    left, top, width, height = one.box
    return abs(top + height / 2 - click.y) <= height and left - height <= click.x <= left + max(width, 30 * height)


def _scroll(scroll: Scrolled) -> Step | None:
    if not scroll.down and not scroll.right:
        return None
    count = min(abs(scroll.down or scroll.right), MOST_TIMES)
    direction = ("down" if scroll.down > 0 else "up") if scroll.down else ("right" if scroll.right > 0 else "left")
    parts = Step.of("SCROLL", PAGE, args={"direction": direction, "notches": count})
    return known(scroll.t_ms, scroll.until_ms, parts)


def _repeated(steps: Sequence[Step]) -> list[Step]:
    """The same key several times is one step."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and _is_same_key(last, step):
            times = int(last.additional_args.get("repeat", 1)) + 1
            repeated = {"t_ms": last.t_ms, "additional_args": {"repeat": min(times, MOST_TIMES)}}
            found[-1] = step.model_copy(update=repeated)
        else:
            found.append(step)
    return found


def _is_same_key(one: Step, other: Step) -> bool:
    is_key = one.action_type == other.action_type == "KEYPRESS"
    return is_key and not one.post_action and one.action_value == other.action_value
