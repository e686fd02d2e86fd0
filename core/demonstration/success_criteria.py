"""What shows at the end of a demonstration that the task is done.

That something went away shows nothing by itself: a window that closes takes it away, whatever was in it.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from core.demonstration.distinctive import is_distinctive, is_volatile, plain_part
from core.demonstration.field_readings import letters_of
from core.demonstration.opening import windows_of
from core.demonstration.prompts import ends_in_command, has_prompt
from core.demonstration.screen_texts import is_masked, overlaps
from core.plans.phrasing import marks
from core.text import one_line
from core.window_kinds import is_browser, is_manager
from core.workflows.workflow import NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event
    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.recording.input_log import InputLog

_STANDS_MS: Final = 500
_DIGITS: Final = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)|(?<=[A-Za-z])\d{3,}(?!\w)")
"""A number; behind letters, as in a code, only a long one."""
_READ_WELL: Final = 0.93
"""An icon that was read as letters, or words of two places read as one, mostly have less confidence."""
_MOST: Final = 2
_WORD: Final = 6
_LETTERS: Final = 3


def criteria(
    texts: ScreenTexts, timeline: Sequence[Event], typed: Sequence[str], titles: Sequence[str], span: tuple[int, int]
) -> tuple[str, ...]:
    """Sentences that quote what came at the end and stood still; none if nothing did.

    Where nothing else came, a typed value that stands in the end where it was not typed, with what went away then, or
    with what its field asks for again: its field alone may show it as well.

    Args:
        texts: of the recording.
        timeline: what changed, without what may not be learned.
        typed: what was typed, which shows nothing by standing in its field.
        titles: of windows: a browser's tab says one, but not on every display.
        span: when the last thing was done, and the recording's length.

    """
    since_ms, end_ms = span
    there = texts.at(end_ms)
    stood = [one for one in there if one.t_ms >= since_ms and end_ms - one.t_ms >= _STANDS_MS]
    stood = [one for one in stood if not (is_masked(one.text) or has_prompt(one.text))]
    late = [one._replace(text=plain_part(one.text)) for one in stood]
    before = [texts.at(t_ms) for t_ms in (0, max(0, since_ms - 1))]
    earlier = {_shape(one.text) for one in itertools.chain(*before)}
    new = [one for one in late if is_distinctive(one, (*typed, *titles)) and not texts.said_before(one.text, since_ms)]
    # A number that went on counting is none that came, and words read otherwise in their place are none.
    new = [one for one in new if _shape(one.text) not in earlier and not any(_stood(one, each) for each in before)]
    # What stood there once already shows that one went back, and less that something was done.
    new = [one for one in new if not texts.says_before(one.text, since_ms)] or new
    new = [one for one in new if not (_is_slip(one.text, there) or _is_glued(one.text, typed))]
    new = _below_command(new, there, typed)
    whole = {one.text for one in stood}

    def rank(one: Seen) -> tuple[bool, bool, int, int, int]:
        """What was read surely and whole before a part of a line, then large before small, then top to bottom."""
        return one.confidence < _READ_WELL, one.text not in whole, -(one.box[3] // 4), one.box[1], one.box[0]

    best, *others = [*sorted(new, key=rank), None]
    if best is not None:
        # A value that has come to stand there as well tells this run from others.
        more = [one for one in late if one.text in typed and is_distinctive(one, titles)]
        more += [one for one in others if one is not None and " " in one.text]
        return tuple(f"{marks(with_patterns(one.text, typed))} is shown." for one in (best, *more)[:_MOST])
    value = next((one for one in late if is_distinctive(one, titles) and not is_distinctive(one, typed)), None)
    gone = gone_text(texts, timeline, since_ms, end_ms)
    if value is not None and gone:
        return f"{marks(value.text)} is shown.", f"{marks(gone)} is no longer shown."
    asked = _asked_again(value, stood, before[1]) if value is not None else None
    return (f"{marks(value.text)} is shown.", f"{asked} is shown.") if value is not None and asked else ()


def _asked_again(value: Seen, stood: Sequence[Seen], before: Sequence[Seen]) -> str | None:
    """What the field that held a value asks for again, in quotation marks: then the value stands elsewhere."""
    fields = [one.box for one in before if one.text == value.text and not overlaps(one.box, value.box)]
    asks = (one.text for one in stood if any(overlaps(one.box, box) for box in fields))
    return next((quoted for text in asks if (quoted := marks(text)) is not None), None)


def _stood(one: Seen, before: Sequence[Seen]) -> bool:
    """Whether all its letters stood there before: texts are read as one now, or one as several, or with an icon."""
    said = letters_of(one.text)
    there = [(letters_of(each.text), overlaps(each.box, one.box)) for each in before]
    rest = said
    for each in sorted((each for each, is_here in there if is_here or len(each) >= _LETTERS), key=len, reverse=True):
        rest = rest.replace(each, " ", 1) if each else rest
    return any(is_here and said in each for each, is_here in there) or all(len(part) == 1 for part in rest.split())


def _is_slip(word: str, there: Sequence[Seen]) -> bool:
    """Whether one word has one letter otherwise than another that stands there as well: it was read wrong."""
    others = (one.text.casefold() for one in there if len(one.text) == len(word) >= _WORD)
    return word.isalpha() and any(sum(map(str.__ne__, word.casefold(), other)) == 1 for other in others)


def _is_glued(text: str, typed: Sequence[str]) -> bool:
    """Whether what was typed stands there behind a letter of another thing, as an icon is read: no run shows that."""
    return any(value in text and not _spans(value, text) for value in typed if len(value) >= _WORD)


def _below_command(new: Sequence[Seen], there: Sequence[Seen], typed: Sequence[str]) -> Sequence[Seen]:
    """What a command wrote stands below it; what is above it was only moved, and read anew."""
    for command in reversed(typed):
        lines = [one.box[1] for one in there if command and ends_in_command(one.text, command)]
        if lines:
            return [one for one in new if one.box[1] > max(lines)]
    return new


def with_patterns(text: str, typed: Sequence[str]) -> str:
    """The text with each number in it as ``{number}``, which is any number, unless it was typed."""
    own = [span for value in typed if value for span in _spans(value, text)]

    def changed(found: re.Match[str]) -> str:
        is_own = any(start <= found.start() and found.end() <= end for start, end in own)
        return found[0] if is_own else f"{{{NUMBER}}}"

    return _DIGITS.sub(changed, text)


def _spans(value: str, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text)]


def _shape(text: str) -> str:
    return _DIGITS.sub("0", text)


def gone_text(texts: ScreenTexts, timeline: Sequence[Event], since_ms: int, end_ms: int) -> str:
    """A text that went away after the last thing was done, empty for none."""
    if not any(event.t_ms >= since_ms for event in timeline):
        return ""
    gone = (
        one.text
        for one in texts.before_click(since_ms)
        if is_distinctive(one, ()) and one.until_ms is not None and one.until_ms >= since_ms
    )
    return next((text for text in gone if not texts.shows(text, end_ms)), "")


def title_after(log: InputLog | None, since_ms: int, until_ms: int) -> str:
    """The title of the window that came, or changed its title, last in that time; empty for none, or a browser's."""
    windows = windows_of(log)
    before = {each.title for each in windows if each.t_ms <= since_ms}
    came = [each for each in windows if since_ms < each.t_ms <= until_ms and not is_browser(each.application)]
    came = [each for each in came if not is_manager(f"{each.application} {each.title}")]
    title = one_line(came[-1].title) if came else ""
    is_new = bool(title) and came[-1].title not in before and marks(title) is not None
    return title if is_new and not is_volatile(title.rstrip(".\u2026")) else ""


def title_criterion(log: InputLog | None, typed: Sequence[str], since_ms: int, end_ms: int) -> tuple[str, ...]:
    """That the window has the title in the end in which a value stands that was typed: a saved file's name, say."""
    title = title_after(log, since_ms, end_ms)
    is_value = any(len(each) >= _LETTERS and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", title) for each in typed)
    return (f"{marks(title)} is shown.",) if title and is_value else ()
