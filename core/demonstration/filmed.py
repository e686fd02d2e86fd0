"""What was done in a film whose input nobody logged: the steps that are certain, and between them what is asked.

What is certain is a step. What follows each other and is not certain is one question, with what it looks like where
something is known of it: then "yes" is an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import COMES, Action, ActionKind, Event, EventKind
from core.demonstration.commands import entered_ms
from core.demonstration.filmed_choices import chosen, is_choice, of_choices, of_offers
from core.demonstration.filmed_clicks import (
    ESCAPE,
    certain_clicks,
    dismissals,
    is_into_field,
    is_into_list,
    presses,
    scrolls,
    uncertain_click,
)
from core.demonstration.filmed_guesses import (
    ANSWER_MS,
    ENTER,
    WORD,
    Part,
    asked,
    guessed_of,
    is_named,
    left_by,
    lone_values,
    typed_guess,
    why_asked,
    with_repeated,
)
from core.demonstration.filmed_pages import page_click, pressed_button
from core.demonstration.icon_clicks import icon_clicks
from core.demonstration.screen_texts import ScreenTexts, is_masked, is_plain_label, is_quotable, overlaps
from core.demonstration.shown import known
from core.demonstration.tested_steps import with_tested
from core.demonstration.typed_steps import hidden
from core.demonstration.typed_texts import LETTER_MS
from core.plans.phrasing import first_quotation, marks
from core.steps import FOCUS, Step
from core.text import SHELL_PROMPTS, is_begun_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Region
    from core.demonstration.entries import EntryFinder
    from core.demonstration.test_commands import CommandLog

_CHOSEN_MS: Final = 800
"""The same of a choice from a list, which is there when it closes."""
_LATE_MS: Final = 3000
"""The same of the first thing that comes after a click."""
_STOOD_MS: Final = 700
"""A page that stood so long was all there."""
_ITSELF_MS: Final = 600
"""A click without words so long after something was done did something else."""
_MANY_LINES: Final = 3
"""A clock, a bar, a caption are fewer; where so many lines go at once, somebody turned a page."""
_WELL_READ: Final = 0.97
_SIGN: Final = 48
"""Pixels: no such sign is larger."""
_LETTERS: Final = 3
_SMALL: Final = 12
"""Pixels: a line that is lower, with its ground, has letters of which one or two are as often missed."""
_SURELY_READ: Final = 0.99
_ALTERNATIVES: Final = 3
"""So many links of one name may be what was clicked: then it is only likely."""
_ASKS_MS: Final = 2000
"""So soon an emptied field says again what it asks for."""
_NEXT_LINE: Final = 2.2
"""Heights of a line between it and the next one, at most."""
_CLICKS: Final = frozenset({"CLICK", "RIGHT_CLICK"})
_TURNED: Final = frozenset({EventKind.CHANGED, EventKind.VANISHED})
_SHOWN_ITSELF: Final = frozenset({ActionKind.TYPE, ActionKind.SCROLL})
"""What comes of these is no other step: a list that shows what is typed, what scrolls into view."""


def has_acts(timeline: Sequence[Event], actions: Sequence[Action]) -> bool:
    """Whether somebody did something: a film that is only played, a clock, a log that scrolls on show no act.

    Where no act is seen, as with keys alone, many lines that go or change at once show one.
    """
    if any(action.kind is not ActionKind.SCROLL for action in actions):
        return True
    return any(event.kind in {EventKind.TYPED, EventKind.NAVIGATED} or _is_turned(event) for event in timeline)


def _is_turned(event: Event) -> bool:
    lines = [text for text in event.lines if WORD.search(text)]
    return event.kind in _TURNED and len(lines) >= _MANY_LINES


def last_ms(step: Step) -> int:
    """When it was done: what came of a click comes from then on, of letters only after the last one."""
    return step.t_ms if step.action_type in _CLICKS else step.until_ms


def filmed_steps(
    timeline: Sequence[Event], entries: EntryFinder, texts: ScreenTexts, actions: Sequence[Action], log: CommandLog
) -> list[Step]:
    """What was typed, clicked and scrolled, and between it, in one question for each stretch, the rest."""
    if not (log.commands or has_acts(timeline, actions)):
        return []
    found: list[Step] = []
    runs: list[Step | list[Part]] = []
    for part in with_tested(_parts(timeline, entries, texts, actions), log, texts):
        if part.step is None and _is_explained(part, found, timeline):
            continue
        last = runs[-1] if runs else None
        if part.step is not None:
            found += [*(asked(last) if isinstance(last, list) else ()), part.step]
            runs.append(part.step)
        elif isinstance(last, list):
            last.append(part)
        else:
            runs.append([part])
    runs = with_repeated(runs, texts)
    merged = _merged([step for run in runs for step in ([run] if isinstance(run, Step) else asked(run))])
    return [step.model_copy(update={"inferred": True}) for step in merged]


def _parts(
    timeline: Sequence[Event], entries: EntryFinder, texts: ScreenTexts, actions: Sequence[Action]
) -> list[Part]:
    """All that happened, in order of time; what has a known cause is told by that."""
    choices, pressed = chosen(actions, entries), presses(actions)
    leading = {
        at for at in range(len(actions)) if is_into_field(actions, at, timeline) or is_into_list(actions, at, choices)
    }
    clicks = certain_clicks(actions, timeline, texts, leading)
    clicks |= icon_clicks(actions, timeline, entries.looks, leading)
    done = (*clicks.values(), *choices.values(), *pressed.values(), *scrolls(actions), *dismissals(actions, clicks))
    found = [Part(step.t_ms, step.until_ms, step) for step in done]
    likely = (at for at in range(len(actions)) if at not in {*clicks, *leading})
    guesses = {at: guess for at in likely if (guess := uncertain_click(actions, at, timeline, texts)) is not None}
    found += [Part(guess.t_ms, guess.t_ms, guess=guess) for guess in guesses.values()]
    own = (at for at, action in enumerate(actions) if action.kind in _SHOWN_ITSELF)
    explained = {*clicks, *choices, *pressed, *leading, *own}
    found += lone_values(timeline, entries, texts)
    is_form, line, last = False, None, None
    in_choices = of_choices(timeline, choices) | of_offers(timeline, texts)
    for at, event in enumerate(timeline):
        if event.kind is EventKind.TYPED:
            last = event
            typed = _typed(entries.ended(event), entries, texts)
            found += [*_next_line(line, event), *typed, *_entered(event, typed, timeline, texts)]
            is_form, line = True, event if _goes_to_focus(typed) else None
        elif _is_answer(event, timeline) and event.cause not in explained and at not in in_choices:
            # Where it was done alone says less than what it brought.
            is_nameless = event.cause is not None and actions[event.cause].target is None
            shown = event.model_copy(update={"cause": None}) if is_nameless else event
            part = _shown(shown, entries, texts, is_form=is_form)
            if part.guess is None and event.cause in guesses:
                part = part._replace(guess=guesses[event.cause])
            if is_form and part.step is None and event.kind is EventKind.NAVIGATED and _hides_value(last):
                # What logs in is sent by Enter, whichever link has the words of the page that comes.
                part = part._replace(guess=known(event.t_ms, event.t_ms, ENTER))
            # A named box was clicked itself: it comes of no step before.
            if is_nameless:
                click_ms = actions[event.cause or 0].t_ms
                part = part._replace(click_ms=click_ms, event=None if part.guess is not None else part.event)
            found.append(part)
            line = None
        elif _goes_with(event, last):
            found.append(left_by(event, timeline, texts))
        is_form = is_form and not _is_sent(event)
    # What is told at the same time as a step comes of it.
    return sorted(found, key=lambda part: (part.t_ms, part.step is None))


def _goes_with(event: Event, typed: Event | None) -> bool:
    """Whether a dialog went with what was typed into it, and no click is known for it."""
    is_gone = event.kind is EventKind.VANISHED and event.cause is None and len(event.lines) > 1
    return is_gone and typed is not None and typed.text in event.lines


def _is_answer(event: Event, timeline: Sequence[Event]) -> bool:
    """Whether it shows that something was done: a small sign alone, as that a page is loaded, does not."""
    if event.kind not in COMES:
        return False
    if event.text or event.before or event.region is None or max(event.region[2:]) > _SIGN:
        return True
    loads = any(other.kind is EventKind.NAVIGATED and 0 <= other.t_ms - event.t_ms <= ANSWER_MS for other in timeline)
    return not loads and bool(first_quotation(event.description))


def _shown(event: Event, entries: EntryFinder, texts: ScreenTexts, *, is_form: bool) -> Part:
    """What came of something that was done, with the click that it names, or what it looks like."""
    is_page = event.kind is EventKind.NAVIGATED and event.cause is None
    button = pressed_button(event)
    if button is not None:
        return Part(event.t_ms, event.t_ms, button, event)
    click = page_click(event, texts) if is_page else None
    if click is not None:
        return Part(event.t_ms, event.t_ms, None if is_form else click, event, click if is_form else None)
    guess = page_click(event, texts, most=_ALTERNATIVES) if is_page else guessed_of(event, entries)
    return Part(event.t_ms, event.t_ms, event=event, guess=guess)


def _goes_to_focus(typed: Sequence[Part]) -> bool:
    """Whether letters went where the caret stood, and into no field."""
    return all(part.step is not None and part.step.target.primary == FOCUS for part in typed)


def _next_line(line: Event | None, event: Event) -> list[Part]:
    """Enter, where something was written right below what was typed last: so an editor takes it."""
    if line is None or line.region is None or event.region is None or line.before or event.before:
        return []
    (x, y, _, _), (left, top, _, height) = line.region, event.region
    is_below = 2 * abs(left - x) <= height and height / 2 < top - y <= _NEXT_LINE * height
    return [Part(event.t_ms, event.t_ms, known(event.t_ms, event.t_ms, ENTER))] if is_below else []


def _entered(event: Event, typed: Sequence[Part], timeline: Sequence[Event], texts: ScreenTexts) -> list[Part]:
    """Enter behind what was typed in the last row of an editor or a pager."""
    t_ms = entered_ms(event, timeline, texts)
    if t_ms is None:
        return []
    enter = known(t_ms, t_ms, ENTER)
    is_sure = all(part.step is not None for part in typed)
    return [Part(t_ms, t_ms, enter) if is_sure else Part(t_ms, t_ms, guess=enter)]


def _hides_value(typed: Event | None) -> bool:
    return typed is not None and (typed.text is None or is_masked(typed.text))


def _is_sent(event: Event) -> bool:
    """Whether something came that answers what was typed before."""
    lines = [text for text in event.lines if WORD.search(text)]
    return event.kind is EventKind.NAVIGATED or (event.kind in COMES and len(lines) >= _MANY_LINES)


def _is_explained(part: Part, found: Sequence[Step], timeline: Sequence[Event]) -> bool:
    """Whether it is the effect of what was done before: of a command, all that comes until the next."""
    event, last = part.event, found[-1] if found else None
    if event is None or last is None:
        return False
    # A menu that closes brings nothing, and a click of its own is no answer to the step before.
    is_closed = (last.action_type, last.action_value) == (ESCAPE.action_type, ESCAPE.action_value)
    if is_closed or (part.click_ms is not None and part.click_ms - last.until_ms > _ITSELF_MS):
        return False
    is_command = last.action_type == "KEYPRESS" and found[-2:-1] and found[-2].target.primary == FOCUS
    if is_command or (last.action_type == "TYPE" and event.t_ms <= last.until_ms):
        return True
    is_answered = last.action_type in {*_CLICKS, "KEYPRESS", "SCROLL"} or is_choice(last)
    is_due = is_answered and event.t_ms <= _answered_ms(last, timeline)
    return is_due and not _is_of_another_click(event, last, timeline)


def _is_of_another_click(event: Event, last: Step, timeline: Sequence[Event]) -> bool:
    """Whether several lines came of nothing that is known, while the page that the step before had brought stood."""
    if last.action_type not in _CLICKS or event.cause is not None or not _is_sent(event):
        return False
    pages = (one.t_ms for one in timeline if one.kind is EventKind.NAVIGATED and one.cause is not None)
    return any(last.t_ms <= t_ms <= event.t_ms - _STOOD_MS for t_ms in pages)


def _answered_ms(step: Step, timeline: Sequence[Event]) -> int:
    """Until when its effects come: soon after it, or after what was busy with it, or else the first of them late."""
    end, most_ms = step.until_ms, _CHOSEN_MS if is_choice(step) else ANSWER_MS
    following = [event for event in timeline if event.t_ms >= step.t_ms and event.kind is not EventKind.TYPED]
    for event in following:
        if event.kind is EventKind.BUSY and event.t_ms <= end + most_ms:
            end = max(end, event.until_ms or event.t_ms)
    first = next((event.t_ms for event in following if event.kind in COMES), None)
    is_late = first is not None and step.action_type in _CLICKS and end + most_ms < first <= end + _LATE_MS
    return first if first is not None and is_late else end + most_ms


def _typed(event: Event, entries: EntryFinder, texts: ScreenTexts) -> list[Part]:
    """What was typed: into a field that has a name, behind a prompt, or, as a question, anywhere."""
    end = event.until_ms or event.t_ms
    command = entries.command(event)
    if command is not None:
        typed = known(event.t_ms, end, Step.of("TYPE", FOCUS).typing(command.text))
        enter = known(end, command.entered_ms, ENTER)
        if command.is_sure:
            return [Part(event.t_ms, end, typed), Part(end, command.entered_ms, enter)]
        lines = (Part(event.t_ms, end, guess=typed), Part(end, command.entered_ms, guess=enter))
        return list(lines)
    label = entries.label(event.region, event.t_ms) if event.region is not None else None
    seen = entries.seen(event, label) or _hidden_at(event, end) or _in_field_of_before(event, entries, texts)
    step = _under_plain_label(seen, event.field or "")
    guess = typed_guess(event, step, entries.read_with(event))
    value = (step.action_value if step is not None and step.is_known else event.text) or ""
    if other := texts.said_otherwise(value, end):
        guess = Step.of("TYPE", step.target.primary if step is not None else FOCUS).typing(other)
        return [Part(event.t_ms, end, guess=guess, why="what came of it is written otherwise")]
    is_sure = step is not None and not (step.is_known and step.doubt) and is_named(step)
    if _is_small(event):
        why = "its letters are small, and could not be read for certain"
    elif step is not None and is_sure:
        return [Part(event.t_ms, end, step)]
    elif guess is not None and guess.action_value == event.text and _is_seen_whole(event):
        # Where it went is found when it is done again.
        return [Part(event.t_ms, end, guess)]
    else:
        why = why_asked(step)
    return [Part(event.t_ms, end, guess=guess, why=why)]


def _is_small(event: Event) -> bool:
    """Whether its letters are small, and were not read as surely as that asks for."""
    is_low = event.text is not None and event.region is not None and event.region[3] < _SMALL
    return is_low and event.confidence < _SURELY_READ


def _hidden_at(event: Event, end_ms: int) -> Step | None:
    """The step for what dots hide, in the field that the timeline names."""
    field = event.field or ""
    if event.text is not None or not is_quotable(field) or not WORD.search(field):
        return None
    return hidden((event.t_ms, end_ms), f"the {marks(field)} field", field)


def _in_field_of_before(event: Event, entries: EntryFinder, texts: ScreenTexts) -> Step | None:
    """The step for letters that all were seen where a field was typed into before, which asked for the same since."""
    end, place = event.until_ms or event.t_ms, event.region
    if place is None or event.field or not _is_seen_whole(event):
        return None
    for one in reversed([each for each in entries.events if each.t_ms < event.t_ms and each.field and each.before]):
        if one.region is None or not _begins_there(one.region, place) or not is_quotable(one.field or ""):
            continue
        came = texts.came(one.until_ms or one.t_ms, end + _ASKS_MS)
        since = [each for each in came if overlaps(each.box, place)]
        if any(is_begun_as(each.text, one.field or "") for each in since):
            typed = Step.of("TYPE", f"the {marks(one.field or '')} field").typing(event.text or "")
            return known(event.t_ms, end, typed)
    return None


def _begins_there(one: Region, other: Region) -> bool:
    return overlaps(one, other) and abs(one[0] - other[0]) <= other[3]


def _under_plain_label(step: Step | None, label: str) -> Step | None:
    """The step in the field of a label that ends as one, where the look at the screen found another text near it.

    So it is where it found no word: a number in the field, or a pointer that was read as a sign.
    """
    found = (first_quotation(step.target.primary) or "") if step is not None and step.is_known else ""
    has_no_word = WORD.search(label) and not any(map(str.isalpha, found))
    is_better = found and is_quotable(label) and (has_no_word or (is_plain_label(label) and not is_plain_label(found)))
    # Only the sign behind it was not read: which of several it is stays known.
    is_same = _bare(label) == _bare(found or "")
    if step is None or not is_better or is_same:
        return step
    return step.model_copy(update={"target": Step.of("TYPE", f"the {marks(label)} field").target})


def _bare(label: str) -> str:
    return label.rstrip(" *:").casefold()


def _is_seen_whole(event: Event) -> bool:
    """Whether each letter was seen to come, as fast as a person types, and all of them were read well."""
    text, end = event.text or "", event.until_ms or event.t_ms
    is_slow = end - event.t_ms >= LETTER_MS * len(text)
    # What a prompt ends with may be read with the command, and a bar at either end is taken for a border.
    is_whole = not text.startswith(tuple(f"{sign} " for sign in SHELL_PROMPTS)) and " | " not in text
    return event.confidence >= _WELL_READ and is_slow and is_whole and len(text) >= _LETTERS


def _merged(steps: Sequence[Step]) -> list[Step]:
    """What went on in the same field is one step: what it held in the end."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        is_typed = step.action_type == "TYPE" and step.target.primary != FOCUS
        if last is not None and is_typed and last.action_type == "TYPE" and last.target == step.target:
            found[-1] = step.model_copy(update={"t_ms": last.t_ms})
        else:
            found.append(step)
    return found
