"""Judges each statement of a timeline by the truth of its session.

- **true**: each quoted text came, changed or went as it says within 0.7 s; blanks and cases do not count, signs do.
- **partly**: so it is for four fifths of its letters when readings count that have four of five signs right, that are
  up to 2 s early or late, or that only moved; and typing that is told as a change, but for what a program repeats of
  typing that another statement has.
- **false**: the text was never there, or stood there unchanged, or the kind is wrong: typing while nothing was typed,
  scrolling while nothing moved, another page while most of it stayed, a picture where text changed.
- **noise**: what is of no use, true or not: clocks, single signs, window titles and addresses, the same once more,
  letters out of pictures, places that changed their look unless the words beside them were clicked then. Beside other
  text, letters out of pictures do not count: no truth knows what a picture says.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from bench.world.scene import IN_TIME_MS, Scene, Sight, plain
from core.analysis import ActionKind, Event, EventKind, Findings, Region, Sighting
from core.plans.phrasing import first_quotation

Judgement = Literal["true", "partly", "false", "noise"]
JUDGEMENTS: Final[tuple[Judgement, ...]] = ("true", "partly", "false", "noise")
ANOTHER_PAGE: Final = 0.3
"""The share of a screen's letters that changes when it is another."""
MOST: Final = 0.8
REPEATED_MS: Final = 2000
_WAS_TYPED: Final = "was typed"
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d(:\d\d)?( ?[ap]\.?m\.?)?", re.IGNORECASE)


class Judged(NamedTuple):
    """One statement's judgement and its ground."""

    judgement: Judgement
    ground: str = ""


def judge(findings: Findings, scene: Scene) -> list[Judged]:
    """The judgement of each statement of a timeline."""
    timeline, places = findings.timeline, _Places(findings.sightings or ())
    typing = {at for at, action in enumerate(findings.actions) if action.kind is ActionKind.TYPE}
    judged = [_judged(event, timeline[:number], scene, places) for number, event in enumerate(timeline)]
    return [
        Judged("true") if each.ground == _WAS_TYPED and event.cause in typing else each
        for event, each in zip(timeline, judged, strict=True)
    ]


class _Places:
    """Where a line was read, which its statement does not say."""

    def __init__(self, sightings: Sequence[Sighting]) -> None:
        self._sightings = sightings

    def of(self, line: str, event: Event) -> Region | None:
        """The place of a line of a statement, or of the statement itself where the line's own is unknown."""
        begin, end = lasted(event)
        found = [
            each
            for each in self._sightings
            if each.text == line
            and each.t_ms <= end + IN_TIME_MS
            and (each.until_ms is None or each.until_ms >= begin - IN_TIME_MS)
        ]
        # The same words may have stood elsewhere before.
        nearest = min(
            found, key=lambda each: min(abs(t - begin) for t in (each.t_ms, each.until_ms or 0)), default=None
        )
        return nearest.region if nearest else event.region


def lasted(event: Event) -> tuple[int, int]:
    """From when until when it was done; what appeared was there at once."""
    lasts = event.kind in {EventKind.TYPED, EventKind.SCROLLED, EventKind.BUSY}
    return event.t_ms, max(event.t_ms, (event.until_ms or event.t_ms) if lasts else event.t_ms)


def quotes(event: Event) -> tuple[list[str], list[str]]:
    """The lines that it says came, and those that it says went."""
    new, old = _lines(event.text), _lines(event.before)
    return ([], [*new, *old]) if event.kind is EventKind.VANISHED else (new, old)


def _judged(event: Event, earlier: Sequence[Event], scene: Scene, places: _Places) -> Judged:
    begin, end = lasted(event)
    if event.kind is EventKind.BUSY:
        return _busy(event, scene)
    new, old = quotes(event)
    if not new and not old:
        shifted = event.kind is EventKind.SCROLLED and scene.has_shift(begin - IN_TIME_MS, end + IN_TIME_MS)
        hidden = event.kind is EventKind.TYPED and scene.has_action(("type",), begin - IN_TIME_MS, end + IN_TIME_MS)
        ticked = event.kind is EventKind.CHANGED and scene.was_clicked(first_quotation(event.description), begin, end)
        return Judged("true") if shifted or hidden or ticked else Judged("noise", "no text")
    if _is_repeated(event, earlier):
        return Judged("noise", "repeated")
    sights = [(line, scene.of_coming(line, begin, end)) for line in new]
    sights += [(line, scene.of_going(line, begin, end)) for line in old]
    kept = [(line, sight) for line, sight in sights if sight > Sight.ALIKE or not scene.is_bar(line, begin, end)]
    drawn = [
        (line, sight)
        for line, sight in kept
        if sight <= Sight.MOVED and scene.is_picture(places.of(line, event), begin, end)
    ]
    useless = _useless(kept, drawn)
    if useless:
        return Judged("noise", useless)
    return _of_kind(event, scene) or _of_sights(event, [each for each in kept if each not in drawn], scene)


def _useless(sights: Sequence[tuple[str, Sight]], drawn: Sequence[tuple[str, Sight]]) -> str:
    """Why a statement is noise; empty when it is none."""
    if not sights:
        return "the window's bars"
    if len(drawn) == len(sights):
        return "letters of a picture"
    if all(_CLOCK.fullmatch(line.strip()) for line, _ in sights):
        return "a clock"
    if all(sight < Sight.ALIKE and len(re.findall(r"\w", line)) < 2 for line, sight in sights):
        return "single signs"
    return ""


def _of_kind(event: Event, scene: Scene) -> Judged | None:
    """A judgement where the kind is wrong."""
    begin, end = lasted(event)
    begin, end = begin - IN_TIME_MS, end + IN_TIME_MS
    if event.kind is EventKind.TYPED and not scene.has_action(("type",), begin, end):
        return Judged("false", "nothing was typed")
    if event.kind is EventKind.SCROLLED and not scene.has_shift(begin, end):
        return Judged("false", "nothing moved")
    if event.kind is EventKind.NAVIGATED and scene.changed_share(begin, end) < ANOTHER_PAGE:
        return Judged("false", "no other page")
    return None


def _of_sights(event: Event, sights: Sequence[tuple[str, Sight]], scene: Scene) -> Judged:
    begin, end = lasted(event)
    letters = max(sum(len(plain(line)) for line, _ in sights), 1)
    exact = sum(len(plain(line)) for line, sight in sights if sight is Sight.EXACT)
    partly = sum(len(plain(line)) for line, sight in sights if sight >= Sight.MOVED)
    worst_line, worst = min(sights, key=lambda each: each[1])
    ground = f"{worst.name.lower()}: {worst_line}"
    if exact == letters:
        typing = scene.has_action(("type",), begin, end) and event.kind in {EventKind.CHANGED, EventKind.APPEARED}
        is_typing = typing and any(_is_typed(line, scene, begin, end) for line, _ in sights)
        return Judged("partly", _WAS_TYPED) if is_typing else Judged("true")
    return Judged("partly" if partly >= MOST * letters else "false", ground)


def _is_typed(line: str, scene: Scene, begin: float, end: float) -> bool:
    typed = [
        plain(action.value)
        for action in scene.truth.actions
        if action.kind == "type"
        and action.t_ms <= end + IN_TIME_MS
        and (action.until_ms or action.t_ms) >= begin - IN_TIME_MS
    ]
    found = plain(line)
    return any(
        len(found) > 1 and (found in each or (each in found and len(each) >= MOST * len(found))) for each in typed
    )


def _busy(event: Event, scene: Scene) -> Judged:
    begin, end = lasted(event)
    if scene.has_moving(event.region, begin, end):
        return Judged("true")
    if scene.has_news(event.region, begin, end):
        return Judged("false", "text changed there")
    return Judged("noise", "nothing to tell")


def _is_repeated(event: Event, earlier: Sequence[Event]) -> bool:
    same = (event.kind, event.text, event.before, event.region)
    return any(
        (other.kind, other.text, other.before, other.region) == same and event.t_ms - other.t_ms <= REPEATED_MS
        for other in earlier
    )


def _lines(text: str | None) -> list[str]:
    return [line for line in (text or "").split(" · ") if plain(line)]
