"""What a film shows only in part: what it looks like, and the one question for each stretch of it.

The caller agrees to what is proposed, takes another proposal, or says what was done.
"""

from __future__ import annotations

import itertools
import re
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from core.analysis import COMES, EventKind
from core.demonstration.filmed_clicks import ESCAPE
from core.demonstration.prompts import is_prompted
from core.demonstration.screen_texts import Seen, is_plain_label, is_quotable, is_shape, same_row
from core.demonstration.shown import clock, known, unknown
from core.plans.phrasing import first_quotation, marks
from core.plans.step_sentences import sentence
from core.steps import FOCUS, KEYBOARD, TICKED, Step
from core.tasks.plan import looks_like
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.analysis import Event, Region
    from core.demonstration.entries import EntryFinder
    from core.demonstration.screen_texts import ScreenTexts
    from core.steps import Target

ENTER: Final = Step.of("KEYPRESS", KEYBOARD, "enter")
ANSWER_MS: Final = 1500
"""What comes so soon after something was done is its effect."""
_QUOTED: Final = 3
_ALONE_MS: Final = 400
_JUST_BEFORE_MS: Final = 60
_BUTTONS: Final = 3
_WORDS: Final = 3
"""A button's name is no longer."""
_SHORT_VALUE: Final = re.compile(r"\d{1,6}")
WORD: Final = re.compile(r"[^\W\d_]{3,}")


class Part(NamedTuple):
    """Something that happened: a step, or what shows that there was one."""

    t_ms: int
    until_ms: int
    step: Step | None = None
    """What was done for certain."""
    event: Event | None = None
    """What came of something that is not certain."""
    guess: Step | None = None
    """What it looks like."""
    others: tuple[Step, ...] = ()
    """What it may have been as well."""
    why: str = ""
    click_ms: int | None = None
    """When a click without words was seen to bring it."""
    said: str = ""
    """What a test runner wrote of it."""


def left_by(closed: Event, timeline: Sequence[Event], texts: ScreenTexts) -> Part:
    """How a dialog looks left: Enter does something, Escape nothing but that. Or a button of it was clicked."""
    came = (event for event in timeline if event.kind in COMES)
    does = any(abs(event.t_ms - closed.t_ms) <= _ALONE_MS for event in came)
    key = known(closed.t_ms, closed.t_ms, ENTER if does else ESCAPE)
    buttons = (known(closed.t_ms, closed.t_ms, Step.of("CLICK", name)) for name in _buttons(closed, texts))
    return Part(closed.t_ms, closed.t_ms, guess=key, others=tuple(buttons))


def _buttons(closed: Event, texts: ScreenTexts) -> list[str]:
    """The quoted names in the lowest row of a dialog, if they are no more than it may have buttons."""
    there = [one for one in texts.at(max(0, closed.t_ms - _ALONE_MS)) if one.until_ms is not None]
    went = [one for one in there if abs((one.until_ms or 0) - closed.t_ms) <= _ALONE_MS]
    lowest = max(went, key=lambda one: one.box[1] + one.box[3], default=None)
    row = [one for one in went if lowest is not None and same_row(one.box, lowest.box)]
    names = [marks(one.text) for one in sorted(row, key=lambda one: one.box[0]) if _is_name(one)]
    return [name for name in names if name is not None] if len(names) == len(row) <= _BUTTONS else []


def _is_name(one: Seen) -> bool:
    """Whether it may be the name of a button, and is no label of a field."""
    is_short = len(one.text.split()) <= _WORDS and any(map(str.isalpha, one.text))
    return one.is_quotable and is_short and not is_plain_label(one.text)


def guessed_of(event: Event, entries: EntryFinder) -> Step | None:
    """What it looks like where something names it: a number in another one's place, a box that changed its look."""
    if event.kind is not EventKind.CHANGED or event.cause is not None or event.region is None:
        return None
    name = first_quotation(event.description)
    if name and not event.text and not event.before and not is_shape(name):
        box = Step.of("CLICK", f"the {marks(name)} check box", post=(TICKED,))
        return known(event.t_ms, event.t_ms, box)
    is_value = _SHORT_VALUE.fullmatch(event.text or "") and _SHORT_VALUE.fullmatch(event.before or "")
    return _valued(event.text or "", event.region, event.t_ms, entries) if is_value else None


def _valued(value: str, place: Region, t_ms: int, entries: EntryFinder) -> Step | None:
    """The typing of a value into the field there; ``None`` where nothing names one."""
    label = entries.label(place, t_ms)
    if label is None or not WORD.search(label.text):
        return None
    return known(t_ms, t_ms, Step.of("TYPE", f"the {marks(label.text)} field").typing(value))


def typed_guess(event: Event, step: Step | None, own: str) -> Step | None:
    """What was typed, into the field that is named, or whose label (``own``) was read as one line with it."""
    value = (step.read or step.action_value or "") if step is not None and not step.place else ""
    value = value or (step.read if step is not None else "") or event.text or ""
    target = step.target.primary if step is not None and step.is_known and is_named(step) else FOCUS
    held, label = event.before or "", event.field or ""
    if is_prompted(event):
        # What was not entered is no command, and its prompt names no field.
        held, label, value = "", "", value.removeprefix(one_line(held)).strip()
    label = own or (label if is_plain_label(label) else "")
    if target == FOCUS and is_quotable(label):
        target = f"the {marks(label)} field"
    if target == FOCUS and is_quotable(held) and WORD.search(held):
        # What stood there names the field as long as it stands there.
        target = f"the {marks(held)} field"
    typed = Step.of("TYPE", target).typing(value)
    return known(event.t_ms, event.until_ms or event.t_ms, typed) if is_quotable(value) else None


def is_named(step: Step) -> bool:
    """Whether its field has another name than what it holds."""
    return first_quotation(step.target.primary) != step.action_value


def why_asked(step: Step | None) -> str:
    """Why letters that were typed are asked about."""
    if step is not None and step.is_known and step.doubt:
        return f"what {step.target.primary} was given could not be read for certain"
    return "nothing that was read names the field that was typed into"


def asked(parts: Sequence[Part]) -> list[Step]:
    """The one line for what follows each other and is not certain, with what is known of it; none for nothing."""
    if not parts:
        return []
    start, end = parts[0].t_ms, max(part.until_ms for part in parts)
    when = f"at {clock(start)}" if clock(start) == clock(end) else f"from {clock(start)} to {clock(end)}"
    events = [part.event for part in parts if part.event is not None]
    texts = [text for event in events for text in event.lines if is_quotable(text)]
    quotes = [marks(text) or "" for text in dict.fromkeys(texts)][:_QUOTED]
    before = f", before {', '.join(quotes)} appeared," if quotes else ""
    is_typed = len(parts) == 1 and not events and bool(parts[0].why)
    reasons = list(dict.fromkeys(part.why for part in parts if part.why))
    doubt = reasons[0] if reasons and is_typed else f"what was done {when}{before} cannot be told from the video alone"
    said = [part.said for part in parts if part.said]
    doubt += f"; the test runner wrote {', '.join(said)}" if said else ""
    # Who agrees to what leads to one page of two stands on the wrong one.
    is_whole = all(part.guess for part in parts if part.event and part.event.kind is EventKind.NAVIGATED)
    guesses = list(dict.fromkeys(sentence(part.guess) for part in parts if part.guess is not None and is_whole))
    line = (
        f"{f'Type what was typed at {clock(start)}' if is_typed else f'Do what was done {when}'} (see the questions)."
    )
    others = [sentence(other) for part in parts for other in part.others] if len(guesses) == 1 else []
    return [unknown(start, end, line, looks_like(doubt, guesses, others))]


def with_repeated(runs: Sequence[Step | list[Part]], texts: ScreenTexts) -> list[Step | list[Part]]:
    """The steps, and what is asked between them; behind what is typed once more, what was clicked the other time.

    A form is sent by the same button, whether or not the film shows that each time.
    """
    pairs = list(itertools.pairwise(runs))
    clicks = {
        one.target: other
        for one, other in pairs
        if isinstance(one, Step)
        and isinstance(other, Step)
        and (one.action_type, other.action_type) == ("TYPE", "CLICK")
    }
    befores: list[Step | list[Part] | None] = [None, *runs]
    return [
        run if isinstance(run, Step) else _sent_again(before, run, clicks, texts)
        for before, run in zip(befores, runs, strict=False)
    ]


def _sent_again(
    before: Step | list[Part] | None, run: Sequence[Part], clicks: Mapping[Target, Step], texts: ScreenTexts
) -> list[Part]:
    """The parts, with the click that sent what one of them types, or what was typed before them, the other time."""
    found: list[Part] = []
    typed = before if isinstance(before, Step) else None
    for part in run:
        click = clicks.get(typed.target) if typed is not None and typed.action_type == "TYPE" else None
        words = first_quotation(click.target.primary) if click is not None and part.guess is None else None
        if click is not None and any(one.text == words for one in texts.at(max(0, part.t_ms - _JUST_BEFORE_MS))):
            found.append(Part(part.t_ms, part.t_ms, guess=known(part.t_ms, part.t_ms, click)))
        found.append(part)
        typed = part.guess
    return found


def lone_values(timeline: Sequence[Event], entries: EntryFinder, texts: ScreenTexts) -> list[Part]:
    """Short numbers that came alone where something names them: a value that was typed too fast for its letters."""
    found: list[Part] = []
    typed = [event for event in timeline if event.kind is EventKind.TYPED]
    for one in texts.came(_ALONE_MS, sys.maxsize):
        # One digit alone is an icon more often.
        if len(one.text) == 1 or not _SHORT_VALUE.fullmatch(one.text):
            continue
        near = texts.came(one.t_ms - _ALONE_MS, one.t_ms + _ALONE_MS)
        is_alone = all(each.text == one.text for each in near)
        is_known = any(each.t_ms <= one.t_ms <= (each.until_ms or each.t_ms) + _ALONE_MS for each in typed)
        is_known = is_known or any(abs(event.t_ms - one.t_ms) <= _ALONE_MS for event in timeline)
        stays = one.until_ms is None or one.until_ms - one.t_ms >= ANSWER_MS
        guess = _valued(one.text, one.box, one.t_ms, entries) if is_alone and stays and not is_known else None
        if guess is not None:
            found.append(Part(one.t_ms, one.t_ms, guess=guess))
    return found
