"""Clicks, keys and scrolling that only the film tells of: those whose target was read and whose effect was seen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from core.analysis import SET, UNSET, Action, ActionKind, EventKind
from core.demonstration.distinctive import is_volatile, plain_part
from core.demonstration.equal_texts import phrase_of
from core.demonstration.screen_texts import is_masked, is_quotable, overlaps
from core.demonstration.shown import known
from core.page_addresses import last_part
from core.steps import KEYBOARD, PAGE, TICKED, UNTICKED, ActionType, Step
from core.text import is_begun_as

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.analysis import Event, Region
    from core.demonstration.screen_texts import ScreenTexts

_CLICKS: Final[Mapping[ActionKind, ActionType]] = {ActionKind.CLICK: "CLICK", ActionKind.RIGHT_CLICK: "RIGHT_CLICK"}
_STATES: Final = {SET: TICKED, UNSET: UNTICKED}
_BEFORE_MS: Final = 60
_ROWS: Final = 3
"""Heights of its words to each side: the rows next to them."""
_MIDDLE: Final = 0.3
"""Of its width: what begins farther left is only indented."""
_SURE: Final = 0.85
"""Below it the pointer stood beside the words, or they were read with a doubt."""
_MARKED: Final = 0.95
"""So sure is a click on a box that was ticked then."""
_LIKELY: Final = 0.65
"""Below it the words are only the nearest ones."""
_NAMED: Final = 2
"""So many lines of what came must say a click's words, where none of them is just these."""
_STANDS_ALONE: Final = 2
"""So many words of a name are one without the time behind them."""
_LONGEST_WORD: Final = 20
"""Longer ones are several that were read as one."""
_AT_ONCE_MS: Final = 400
"""A person does not click two things so soon one after the other: a menu lights up where a pointer passes."""
_ALIKE: Final = 85
"""Of 100: a pointer hides a letter or two."""
_OPENED_MS: Final = 700
_BRIEF_MS: Final = 500
"""What goes sooner is a hint of what a thing does."""
_CRUMBS: Final = re.compile(r"\s+[/>\u203a\u00bb]\s+")
"""Between the pages that lead to one."""
_PATH: Final = re.compile(r"(?:~|/|[A-Za-z]:[\\/])")
"""How the path of a folder begins."""
_FILE: Final = re.compile(r"[^\s/]+\.[A-Za-z]\w{0,4}")
_COMES: Final = frozenset({EventKind.APPEARED, EventKind.CHANGED})
_SCROLLED: Final = re.compile(r"scrolled (up|down) by (\d+) pixels")
_ON_MS: Final = 800
"""What scrolls on so soon was one turn of the wheel."""
ESCAPE: Final = Step.of("KEYPRESS", KEYBOARD, "escape")
_NOTCH: Final = 120
"""Pixels that a browser scrolls by for one notch of the wheel."""
_SEEN_SCROLL: Final = 0.85
_TURNED_MS: Final = 200
"""What moves on for less made room for something new."""


def certain_clicks(
    actions: Sequence[Action], timeline: Sequence[Event], texts: ScreenTexts, leading: Collection[int]
) -> dict[int, Step]:
    """The steps of the clicks that are certain, by the index of their action; none of those that lead into a field.

    A second click on the same place with nothing between may as well be a late answer to the first: it is none. One
    beside its words is certain where just these words came then, as the heading of what was opened. None is whose words
    may be those of two columns that were read as one line, or a file's name: one click may select it and two open it.
    """
    found: dict[int, Step] = {}
    for at, action in enumerate(actions):
        step = _click(actions, at, texts) if at not in leading else None
        if step is not None and _opens_folder(at, action, timeline, texts):
            found[at] = step.model_copy(update={"action_type": "DOUBLE_CLICK"})
            continue
        is_sure = (action.confidence >= _SURE and _is_lasting(at, timeline)) or _is_answered(at, action, timeline)
        is_plain = not _spans_columns(action, texts) and not _opens_file(at, action, timeline)
        if step is not None and ((is_sure and is_plain) or _is_addressed(at, action, timeline)):
            found[at] = step
    return found


def is_into_field(actions: Sequence[Action], at: int, timeline: Sequence[Event]) -> bool:
    """Whether a click did nothing but give the focus to the field that is typed into next: that tells both.

    One on what was typed there before only marks it.
    """
    following = actions[at + 1] if at + 1 < len(actions) else None
    if any(_is_on_value(actions[at], typed) for typed in actions[:at]):
        return True
    if following is None or actions[at].kind is not ActionKind.CLICK:
        return False
    every = _effects(at, timeline)
    if following.kind is not ActionKind.TYPE:
        is_again = following.kind is ActionKind.CLICK and following.target == actions[at].target is not None
        return is_again and not every and is_into_field(actions, at + 1, timeline)
    # What a browser offers for the field is shown, and gone when it is taken.
    effects = [one for one in every if one.until_ms is None or not is_begun_as(one.text or "", following.value or "")]
    if (every and not effects) or _gave_way(actions[at], following, every):
        return True
    places, field = [event.region for event in effects], following.region
    came = [event for event in effects if event.kind is EventKind.APPEARED]
    opens = any(len(event.lines) > 1 for event in came)
    is_there = bool(places) and field is not None and all(place and _is_about(place, field) for place in places)
    return is_there and not opens and not (came and _is_elsewhere(actions[at], field))


def _gave_way(click: Action, typed: Action, effects: Sequence[Event]) -> bool:
    """Whether the words that were clicked went, and something is typed there: the field had asked for it by them."""
    went = [event for event in effects if event.kind is EventKind.VANISHED]
    if click.target is None or not any(click.target in event.lines for event in went):
        return False
    if click.region is None or typed.region is None:
        return False
    (left, top, _, _), (x, y, _, height) = click.region, typed.region
    return abs(left - x) <= height and abs(top - y) <= 2 * height


def _is_on_value(click: Action, typed: Action) -> bool:
    """Whether it is on what was typed, in the place where it was typed."""
    is_click_after = typed.kind is ActionKind.TYPE and click.kind is ActionKind.CLICK
    return is_click_after and click.target is not None and click.target == typed.value and is_at(click, typed)


def _is_elsewhere(click: Action, field: Region | None) -> bool:
    """Whether it is on words outside a field: what comes in the field then is what that asks for once it is empty."""
    is_named = click.target is not None and click.region is not None
    return is_named and field is not None and not overlaps(click.region or field, field)


def is_into_list(actions: Sequence[Action], at: int, choices: Collection[int]) -> bool:
    """Whether a click did nothing but open the list that is chosen from next: that tells both."""
    return at + 1 in choices and actions[at].kind is ActionKind.CLICK and is_at(actions[at], actions[at + 1])


def is_at(one: Action, other: Action) -> bool:
    """Whether both were done at one place."""
    return one.region is not None and other.region is not None and overlaps(one.region, other.region)


def _effects(at: int, timeline: Sequence[Event]) -> list[Event]:
    return [event for event in timeline if event.cause == at]


def _is_about(place: Region, field: Region) -> bool:
    """Whether a place is that of what stands in a field, with its frame."""
    return overlaps(place, field) and place[3] <= _ROWS * field[3]


def _spans_columns(action: Action, texts: ScreenTexts) -> bool:
    """Whether in the rows beside its words a text begins in the middle of them; those beside a box begin there."""
    if action.region is None or " " not in (action.target or "") or action.value in _STATES:
        return False
    x, y, width, height = action.region
    return any(
        height / 2 < abs(one.box[1] - y) <= _ROWS * height and _MIDDLE * width < one.box[0] - x < width - height
        for one in texts.at(max(0, action.t_ms - _BEFORE_MS))
    )


def _is_answered(at: int, action: Action, timeline: Sequence[Event]) -> bool:
    """Whether its words then head what came, stand in several of its lines, or end its address or its path of pages."""
    name = (action.target or "").casefold()
    effects = _effects(at, timeline)
    lines = {line.casefold() for event in effects for line in event.lines}
    ends = {_CRUMBS.split(line)[-1] for line in lines}
    if name in lines | ends or _is_addressed(at, action, timeline) or _is_heading(at, action, timeline):
        return True
    said = re.compile(rf"(?<!\w){re.escape(name.removesuffix('s'))}s?(?!\w)")
    needed = 1 if action.kind is ActionKind.RIGHT_CLICK else _NAMED
    is_likely = action.confidence >= _LIKELY or action.kind is ActionKind.RIGHT_CLICK
    return is_likely and sum(said.search(line) is not None for line in lines) >= needed


def _is_heading(at: int, action: Action, timeline: Sequence[Event]) -> bool:
    """Whether a page came whose heading says the click's words and more, or is some of them."""
    own = _words(action.target or "")
    pages = (event for event in _effects(at, timeline) if event.kind is EventKind.NAVIGATED and event.text)
    headings = (_words(_CRUMBS.split(event.lines[0])[-1]) for event in pages)
    return bool(own) and any(heading and (own <= heading or heading <= own) for heading in headings)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", text.casefold()))


def _is_lasting(at: int, timeline: Sequence[Event]) -> bool:
    """Whether not all that came of it went at once, as what says a few words of the thing below the pointer does."""
    effects = _effects(at, timeline)
    return not effects or any(event.until_ms is None or event.until_ms - event.t_ms > _BRIEF_MS for event in effects)


def _is_addressed(at: int, action: Action, timeline: Sequence[Event]) -> bool:
    """Whether the address that came ends with its words."""
    name = (action.target or "").casefold()
    return bool(name) and any(last_part(event) in {name, name.replace(" ", "")} for event in _effects(at, timeline))


def _opens_folder(at: int, action: Action, timeline: Sequence[Event], texts: ScreenTexts) -> bool:
    """Whether a path then ends with its words, which went with the list that they stood in: two clicks open a folder.

    One click does so in a bar of places, which stays.
    """
    name, place = action.target or "", action.region
    if action.kind is not ActionKind.CLICK or place is None or not name:
        return False
    lines = [line for event in _effects(at, timeline) for line in event.lines]
    stays = any(one.text == name and overlaps(one.box, place) for one in texts.at(action.t_ms + _OPENED_MS))
    return not stays and any(_PATH.match(line) and re.split(r"[/\\]", line.rstrip("/\\"))[-1] == name for line in lines)


def _opens_file(at: int, action: Action, timeline: Sequence[Event]) -> bool:
    """Whether a file's name was clicked and something came that is no page, as an editor shows it."""
    if action.kind is not ActionKind.CLICK or not _FILE.fullmatch(action.target or ""):
        return False
    kinds = {event.kind for event in _effects(at, timeline)}
    return bool(kinds & _COMES) and EventKind.NAVIGATED not in kinds


def uncertain_click(actions: Sequence[Action], at: int, timeline: Sequence[Event], texts: ScreenTexts) -> Step | None:
    """What a click that is not certain looks like; ``None`` for anything else."""
    step = _click(actions, at, texts)
    is_double = step is not None and step.action_type == "CLICK" and _opens_file(at, actions[at], timeline)
    return step.model_copy(update={"action_type": "DOUBLE_CLICK"}) if step is not None and is_double else step


def _click(actions: Sequence[Action], at: int, texts: ScreenTexts) -> Step | None:
    action, before = actions[at], actions[at - 1] if at else None
    target = action.target or ""
    is_again = before is not None and _is_same(before, action)
    # No pointer that only passes ticks a box.
    others = (each for each in actions if each is not action and each.kind in _CLICKS and each.confidence < _MARKED)
    is_passing = action.value not in _STATES and any(abs(each.t_ms - action.t_ms) <= _AT_ONCE_MS for each in others)
    is_plain = action.kind in _CLICKS and is_quotable(target) and not is_masked(target)
    if not is_plain or is_again or is_passing or any(len(word) > _LONGEST_WORD for word in target.split()):
        return None
    phrase = phrase_of(_without_stamp(target, action.t_ms, texts), action.region, action.t_ms - _BEFORE_MS, texts)
    state = _STATES.get(action.value or "")
    if state is not None:
        box = Step.of("CLICK", f"the {phrase.removeprefix('the ')} check box", post=(state,))
        return known(action.t_ms, action.until_ms or action.t_ms, box)
    return known(action.t_ms, action.until_ms or action.t_ms, Step.of(_CLICKS[action.kind], phrase))


def _without_stamp(target: str, t_ms: int, texts: ScreenTexts) -> str:
    """The words without a time or a date, which are others in the next run; all, where the rest names two things."""
    part = plain_part(target)
    is_cut = part != target and len(part.split()) >= _STANDS_ALONE
    named = [one for one in texts.at(max(0, t_ms - _BEFORE_MS)) if f" {part} " in f" {one.text} "]
    return part if is_cut and len(named) == 1 and is_volatile(target) else target


def _is_same(one: Action, other: Action) -> bool:
    """Whether both are clicks on about the same words at the same place."""
    place, there = one.region, other.region
    is_near = place is None or there is None or max(abs(place[0] - there[0]), abs(place[1] - there[1])) <= there[3]
    is_alike = fuzz.ratio(one.target or "", other.target or "") >= _ALIKE
    return one.kind in _CLICKS and other.kind is ActionKind.CLICK and is_alike and is_near


def scrolls(actions: Sequence[Action]) -> list[Step]:
    """The steps of what was scrolled for certain; what went on in the same direction at once is one.

    What moves down where nothing had been scrolled made room for something new: a page begins at its top.
    """
    found: list[tuple[int, int, str, int]] = []
    below = 0
    for action in actions:
        said = _SCROLLED.search(action.description) if action.kind is ActionKind.SCROLL else None
        if said is None:
            continue
        until, way, pixels = action.until_ms or action.t_ms, said[1], int(said[2])
        below += pixels if way == "down" else -pixels
        if below < -_NOTCH / 2:
            below = 0
            continue
        last = found[-1] if found else None
        if last is not None and last[2] == way and action.t_ms - last[1] <= _ON_MS:
            found[-1] = (last[0], until, way, last[3] + pixels)
        elif action.confidence >= _SEEN_SCROLL:
            found.append((action.t_ms, until, way, pixels))
    return [
        known(t_ms, until, Step.of("SCROLL", PAGE, args={"direction": way, "notches": max(1, round(pixels / _NOTCH))}))
        for t_ms, until, way, pixels in found
        if until - t_ms >= _TURNED_MS
    ]


def presses(actions: Sequence[Action]) -> dict[int, Step]:
    """The steps of the keys that were pressed for certain, by the index of their action."""
    return {
        at: known(action.t_ms, action.t_ms, Step.of("KEYPRESS", KEYBOARD, (action.value or "").lower()))
        for at, action in enumerate(actions)
        if action.kind is ActionKind.PRESS and action.confidence >= _SURE
    }


def dismissals(actions: Sequence[Action], clicks: Collection[int]) -> list[Step]:
    """Escape, which closes a menu without a choice, where the click that opened it is certain.

    Args:
        actions: all that was done.
        clicks: the indices of those that are certain clicks.

    """
    return [
        known(action.t_ms, action.t_ms, ESCAPE)
        for at, action in enumerate(actions)
        if action.kind is ActionKind.DISMISS and at - 1 in clicks
    ]
