"""What was typed into which field: what came to stand there while letters were typed."""

import bisect
import re
from collections.abc import Sequence
from typing import Final

from core.analysis import Event, EventKind, Region
from core.demonstration.commands import Command, command_of
from core.demonstration.field_readings import (
    added_behind,
    agrees,
    as_typed,
    differs,
    has_icon_letter,
    in_whole_words,
    is_alike,
    is_slip,
    without_icon,
)
from core.demonstration.gestures import Entry, begin_of
from core.demonstration.looks import Look, LooksByTime, is_confirmed, look_of
from core.demonstration.prompts import has_prompt
from core.demonstration.screen_texts import (
    ScreenTexts,
    Seen,
    is_masked,
    is_plain_label,
    is_shape,
    label_of,
    same_row,
    under,
)
from core.demonstration.shown import clock, known, unknown
from core.demonstration.touched import field_of, is_in_document, value_of, written_in
from core.demonstration.typed_steps import ambiguous, focused, hidden, misread, unread, written_into
from core.demonstration.typed_texts import BORDERS, CARETS, COLON, SLIP, Writings, Written, is_same_place
from core.demonstration.typing_filter import TypingFilter
from core.plans.phrasing import marks
from core.recording.input_log import Focused, InputLog, Typed
from core.steps import FOCUS, Step, Target
from core.text import one_line
from core.window_kinds import is_terminal

_SIGNS: Final = re.compile(r"[^\w\s]{1,2}")
"""A full stop, what closes a bracket or a quotation."""
_EARLY_MS: Final = 400
_SEEN_MS: Final = 1500
"""So long after it was typed a text may be read first."""
_SURE: Final = 0.85
_TERMINAL: Final = (
    "What was typed at {} went into a terminal, whose letters cannot be told for certain, and one wrong letter makes "
    "another command."
)
_RECENT: Final = 24
"""So many texts that were typed last may stand beside a field."""
_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
"""A hint in a field that says something; a number names nothing."""


class EntryFinder:
    """Finds what was typed.

    Args:
        timeline: of the analysis, without what may not be learned.
        texts: of the recording.
        looks: what was seen when the recording was looked at again; may be empty.
        log: the input log, if there is one; text that appeared without a key press was not typed.
        repeats: whether the steps will be done again: then a command that was only read is no command.

    """

    def __init__(
        self,
        timeline: Sequence[Event],
        texts: ScreenTexts,
        looks: LooksByTime,
        log: InputLog | None = None,
        *,
        repeats: bool = False,
    ) -> None:
        self._repeats = repeats
        self._texts = texts
        self.looks = looks
        written = {event.t_ms for event in timeline if _is_written(event, look_of(looks, event.t_ms))}
        seen = TypingFilter(timeline, texts, written) if log is None else None
        self.timeline: Final = seen.timeline if seen is not None else timeline
        self._named = seen.named if seen is not None else ()
        typed = (event for event in self.timeline if event.kind is EventKind.TYPED and event.region is not None)
        typed = (event for event in typed if log is None or _is_logged(event, log))
        self._typed = sorted(typed, key=lambda event: event.t_ms)
        self._times = [event.t_ms for event in self._typed]
        self._writings = Writings(self._typed, texts)
        self._windows = [each for each in log.events if isinstance(each, Focused)] if log is not None else []

    @property
    def events(self) -> Sequence[Event]:
        """Everything that came letter by letter."""
        return self._typed

    def step_of(self, entry: Entry, until_ms: int) -> Step:
        """The step for letters that the log tells of; ``until_ms`` is when something else was done."""
        start = begin_of(entry)
        look = look_of(self.looks, start)
        reported = self._reported(entry, look)
        if reported is None and entry.click is None and not entry.tabbed and entry.element is None:
            reported = self._at_focus(entry, look, until_ms)
        if reported is not None:
            return reported
        if look.field:
            return self._looked(entry, look)
        written = self.found(entry, until_ms)
        if written is None:
            return self._unseen(entry, start)
        label = None if _is_prompted(written, entry) else self.label(written.box, start, entry)
        if label is None and (entry.click is not None or entry.tabbed):
            return unknown(
                start,
                entry.until_ms,
                f"Type what was typed at {clock(entry.t_ms)} (see the questions).",
                "nothing that was read names the field that was typed into",
            )
        return self.written(start, entry.until_ms, written, label, entry)

    def _at_focus(self, entry: Entry, look: Look, until_ms: int) -> Step:
        """The step for letters after no click and no Tab: what stands beside where they came need not name a field."""
        span, step = (begin_of(entry), entry.until_ms), None
        if self._repeats and self._is_terminal(entry.t_ms):
            return unread(span, FOCUS, "Value", _TERMINAL.format(clock(span[0])))
        if look.field:
            step = self._looked(entry, look)
        elif (written := self.found(entry, until_ms)) is not None:
            step = self.written(*span, written, None, entry)
        if step is None:
            return unread(span, FOCUS, "Value")
        if step.hidden or not step.doubt:
            return step.model_copy(update={"target": Target(primary=FOCUS)})
        return unread(span, FOCUS, "Value", step.doubt, step.read)

    def _is_terminal(self, t_ms: int) -> bool:
        window = [each for each in self._windows if each.t_ms <= t_ms][-1:]
        return any(is_terminal(each.application) for each in window)

    def _reported(self, entry: Entry, look: Look) -> Step | None:
        """The step for a field whose program told what it is and what it held."""
        element, span = entry.element, (begin_of(entry), entry.until_ms)
        if element is None:
            return None
        if is_in_document(entry):
            typed = written_in(entry)
            return unread(span, FOCUS, "Value") if typed is None else focused(entry, typed)
        own = field_of(entry)
        # What was read there tells it from other fields of that name.
        is_read = look.field and (not own or look.label.casefold() == one_line(element.name).casefold())
        target = look.field if is_read else own
        if not target:
            return None
        if element.is_secret:
            return hidden(span, target, element.name or look.label)
        value = value_of(entry)
        return known(*span, Step.of("TYPE", target).typing(value)) if value is not None else None

    def command(self, event: Event) -> Command | None:
        """What was typed behind a prompt and entered; ``None`` for anything else."""
        return command_of(event, self._texts, look_of(self.looks, event.t_ms))

    def read_with(self, event: Event) -> str:
        """The label that was read as one line with what was typed; empty for none."""
        named = (one.label.text for one in self._named if event.region and one.names(event.region, event.t_ms))
        return next(named, "")

    def ended(self, event: Event) -> Event:
        """The same with all that its row has of it, and without the colon of its label, which is hard to read."""
        look, text = look_of(self.looks, event.t_ms), one_line(event.text or "")
        row = one_line(look.line)
        label, found, signs = row.partition(text) if text else ("", "", "")
        if found and label.strip() and text.startswith(COLON):
            return event.model_copy(update={"text": text.removeprefix(COLON), "field": f"{label.strip()}:"})
        if row and not found and not has_prompt(row) and is_slip(text, row):
            return event.model_copy(update={"confidence": min(event.confidence, _SURE)})
        whole = in_whole_words(text, row) if found else text
        if whole != text:
            # Letters were overlooked, and there may be more of them.
            return event.model_copy(update={"text": whole, "confidence": min(event.confidence, _SURE)})
        if not found or not look.ends or not signs or _SIGNS.fullmatch(signs) is None:
            return event
        return event.model_copy(update={"text": text + signs})

    def chosen(self, entry: Entry) -> Step | None:
        """The step where Enter, or a click, after the letters chose from a list what the field then holds."""
        look = look_of(self.looks, begin_of(entry))
        if not look.field.endswith(" field") or look.later in ("", look.before) or len(look.later) < entry.letters:
            return None
        is_open = look.after in ("", look.before)
        jumped = look.after == look.later and len(look.later) > entry.letters + SLIP and look.before not in look.later
        if not is_open and not jumped:
            return None
        target = f"{look.field.removesuffix('field')}dropdown"
        return known(begin_of(entry), entry.until_ms, Step.of("TYPE", target).typing(look.later))

    def _looked(self, entry: Entry, look: Look) -> Step:
        """The step for a field that was looked at before and after."""
        start, end, typed = begin_of(entry), entry.until_ms, entry.letters
        value, rival = self._read(entry, look)
        is_hidden = any(
            event.text is None and event.t_ms <= end + _EARLY_MS and (event.until_ms or event.t_ms) >= entry.t_ms
            for event in self._typed
        )
        if look.masked or (is_hidden and (not value or len(set(value)) == 1)):
            return hidden((start, end), look.field, look.label)
        goes_on = bool(look.before) and value.startswith(look.before)
        new = len(value) - (len(look.before) if goes_on else 0)
        fits = entry.corrected or abs(new - typed) <= SLIP or abs(len(value) - typed) <= SLIP
        if not value or not fits:
            return unread((start, end), look.field, look.label)
        if rival:
            return ambiguous((start, end), look.field, look.label, value, rival)
        if not entry.corrected and typed not in (new, len(value)):
            return misread((start, end), look.field, look.label, value, typed)
        return known(start, end, Step.of("TYPE", look.field).typing(value))

    def _read(self, entry: Entry, look: Look) -> tuple[str, str]:
        """What a field holds, and what else it may be where two pictures of it say two things."""
        typed = entry.letters
        value, later = one_line(look.after), one_line(look.later)
        lengths = {typed, len(one_line(look.before)) + typed}
        if look.caret and value[-1:] in CARETS and len(value) - 1 in lengths:
            value = value[:-1].rstrip()
        if entry.corrected or later == value or len(later) not in lengths:
            return value, ""
        if len(value) not in lengths:
            # A letter of it was read wrong, which is none in a picture without caret and pointer.
            return (later, "") if is_alike(value, later) else (value, "")
        if not is_alike(value, later):
            # Something else stands there by then.
            return value, ""
        said = [each for each in (value, later) if self._texts.says_words(each)]
        return (said[0], "") if len(said) == 1 else (value, later)

    def seen(self, event: Event, label: Seen | None) -> Step | None:
        """The step for letters that only the video tells of; ``None`` where nothing names their field."""
        look = look_of(self.looks, event.t_ms)
        held = self._held(event, look) if look.field and not _is_unmoved(look, event) else None
        if held is not None:
            return held
        end = event.until_ms or event.t_ms
        if label is None or event.region is None or (self.looks and not is_confirmed(event, label, look)):
            return None
        text = None if event.text is None or is_masked(event.text) else event.text
        return self.written(event.t_ms, end, Written(text, event.before or "", event.region, event.confidence), label)

    def _held(self, event: Event, look: Look) -> Step | None:
        """The step for letters in a field that was looked at again; ``None`` where that held nothing."""
        span = event.t_ms, event.until_ms or event.t_ms
        if event.text is None or look.masked or is_masked(event.text):
            return hidden(span, look.field, look.label)
        before = one_line(look.before)
        typed = without_icon(event.text, before)
        value, later = (as_typed(one_line(each), typed, before) for each in (look.after, look.later))
        typed, value, later = (self._without_caret(each, span[1]) for each in (typed, value, later))
        is_behind = look.several_lines and added_behind(value, before, typed)
        is_elsewhere = value and not (is_behind or agrees(value, typed) or (look.several_lines and typed in value))
        # It was still being written, or was read with a sign of its field.
        value = later if value and (later.startswith(value) or later == typed) else value
        is_read = value in (later, typed) or is_behind
        # Its last letter may be the caret: nothing showed it when that was gone.
        is_caret = value[-1:] in CARETS and later != value and not self._texts.says_words(value[:-1])
        if is_elsewhere or not is_read:
            return unread(span, look.field, look.label)
        if value and is_caret:
            return unread(span, look.field, look.label, read=value)
        if value and not is_behind and differs(value, typed):
            return ambiguous(span, look.field, look.label, typed, value)
        if value and has_icon_letter(value):
            return ambiguous(span, look.field, look.label, value[1:].lstrip(), value)
        return known(*span, written_into(look, value, typed if is_behind else "")) if value else None

    def _without_caret(self, text: str, end_ms: int) -> str:
        """What was typed without the caret behind it, where it came to stand without that."""
        return text[:-1] if text[-1:] in CARETS and self._texts.comes_after(text[:-1], end_ms) else text

    def written(self, start: int, end: int, written: Written, label: Seen | None, entry: Entry | None = None) -> Step:
        """The step for a text in a field; without a label it is typed where the focus is."""
        target = f"the {marks(label.text)} field" if label is not None else FOCUS
        name = label.text if label is not None else "Value"
        if written.text is None:
            return hidden((start, end), target, name)
        value = written.text
        if label is None and value.startswith(written.before):
            # At a prompt, what stood there before stays.
            value = value[len(written.before) :].strip()
        value = one_line(value)
        typed = entry.letters if entry is not None and not entry.corrected else None
        inside = value.strip(BORDERS)
        if typed is not None and len(value) != typed:
            without = (inside, value[:-1]) if value[-1:] in CARETS else (inside,)
            value = next((each for each in without if len(each) == typed), value)
        if not value or written.confidence < _SURE or (typed is not None and abs(len(value) - typed) > SLIP):
            if value and typed is not None and len(value) > typed + SLIP and written.before:
                # The field went on from what it held: it shall hold the same again.
                return known(start, end, Step.of("TYPE", target).typing(value))
            return unread((start, end), target, name)
        if typed is not None and typed != len(value):
            return misread((start, end), target, name, value, typed)
        return known(start, end, Step.of("TYPE", target).typing(value))

    def label(self, box: Region, t_ms: int, entry: Entry | None = None, value: str = "") -> Seen | None:
        """What names the field with that text in it; ``value`` is what it holds by then, and names nothing."""
        named = next((one.label for one in self._named if one.names(box, t_ms)), None)
        if named is not None:
            return named if named.is_quotable else None
        seen = [one for one in self._texts.before_click(t_ms) if one.text != value]
        until = bisect.bisect_right(self._times, t_ms)
        values = [
            region
            for event in self._typed[max(0, until - _RECENT) : until]
            if (region := event.region) is not None
            and not is_same_place(region, box)
            and (event.text is None or _is_there(event.text, region, seen))
        ]
        label = label_of(box, [one for one in seen if not _within(one.box, box) and not self._is_value(one)], values)
        held = under(seen, entry.click.x, entry.click.y) if entry is not None and entry.click is not None else None
        held = held or next((one for one in seen if _begins_with(one.box, box)), None)
        is_hint = held is not None and held.is_quotable and held.until_ms is not None
        hint = held if is_hint and held is not None and not is_shape(held.text) else None
        if label is None or not label.is_quotable:
            # A hint that stands in the empty field names it as well.
            return hint
        is_far = same_row(label.box, box) and box[0] - label.box[0] - label.box[2] > box[3]
        is_far = is_far and not is_plain_label(label.text)
        return hint if hint is not None and is_far and _LETTERS.search(hint.text) else label

    def _is_value(self, one: Seen) -> bool:
        """Whether it was chosen from a list, in which it stood as well, and came in the place of another text."""
        if one.t_ms == 0 or self._texts.stood_before(one):
            return False
        before = self._texts.at(one.t_ms - 1)
        is_listed = any(other.text == one.text and not is_same_place(other.box, one.box) for other in before)
        return is_listed and any(
            is_same_place(other.box, one.box) and not is_alike(other.text, one.text) for other in before
        )

    def found(self, entry: Entry, until_ms: int) -> Written | None:
        """What came to stand where it was typed, by the timeline; ``until_ms`` is when something else was done."""
        return self._writings.found(entry, until_ms)

    def settled(self, event: Event, until_ms: int) -> str | None:
        """What stood in the end where letters came; ``None`` where dots hide it."""
        return self._writings.settled(event, until_ms)

    def _unseen(self, entry: Entry, start: int) -> Step:
        return unknown(
            start,
            entry.until_ms,
            f"Type what was typed at {clock(entry.t_ms)} (see the questions).",
            f"{entry.letters} letter{'s' if entry.letters > 1 else ''} were typed, and could not be read on the screen",
        )


def _is_logged(event: Event, log: InputLog) -> bool:
    begin, end = event.t_ms - _SEEN_MS, (event.until_ms or event.t_ms) + _EARLY_MS
    return any(isinstance(one, Typed) and one.t_ms <= end and one.until_ms >= begin for one in log.events)


def _is_written(event: Event, look: Look) -> bool:
    """Whether a field that held another text, as its hint, held just what was typed afterwards."""
    return bool(look.field and look.before) and look.after == event.text != look.before


def _is_unmoved(look: Look, event: Event) -> bool:
    """Whether what the look takes for the field held the same before and after, and not what was typed."""
    return bool(look.after) and look.before == look.after and (event.text or "") not in look.after


def _is_prompted(written: Written, entry: Entry) -> bool:
    """Whether it was typed behind a prompt, which stays and names nothing."""
    text, before = written.text or "", written.before
    if entry.click is not None or entry.tabbed or not before or not text.startswith(before):
        return False
    return abs(len(text[len(before) :].strip()) - entry.letters) <= SLIP


def _is_there(text: str, region: Region, seen: Sequence[Seen]) -> bool:
    """Whether what was typed there still stands there."""
    return any(
        (one.text in text or text in one.text) and (_within(one.box, region) or is_same_place(one.box, region))
        for one in seen
    )


def _begins_with(one: Region, other: Region) -> bool:
    """Whether two texts begin in one place."""
    return same_row(one, other) and abs(one[0] - other[0]) <= other[3] / 2


def _within(one: Region, other: Region) -> bool:
    """Whether the middle of the first is in the second: an earlier text of the same field."""
    x, y = one[0] + one[2] / 2, one[1] + one[3] / 2
    return other[0] <= x <= other[0] + other[2] and other[1] <= y <= other[1] + other[3]
