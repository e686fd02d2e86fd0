"""Judging that a text is there: shown, appears, is visible, and when, how often, how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.expectations.claims import Compare, Moment, Outcome, Verb, agreed, any_of, failed, passed, unclear
from core.expectations.match_context import (
    MatchContext,
    Place,
    Window,
    describe_appearance,
    evidence_of,
    seconds,
    short,
)
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.expectations.claims import Clause, Limits
    from core.expectations.screen import Appearance

_OPPOSITE = {
    Compare.AT_LEAST: Compare.LESS,
    Compare.AT_MOST: Compare.MORE,
    Compare.MORE: Compare.AT_MOST,
    Compare.LESS: Compare.AT_LEAST,
}


def judge_presence(context: MatchContext, clause: Clause, text: str) -> Outcome:
    """Whether the text is, or is not, there as the clause says."""
    limits = clause.limits
    if limits.at is not None:
        return _at(context, clause, text, limits.at)
    if limits.always:
        return _always(context, text)
    windows = context.windows(limits, negated=clause.negated)
    if isinstance(windows, Outcome):
        return windows
    outcomes = [_in_window(context, clause, text, window) for window in windows]
    return agreed(
        outcomes, f"what{windows[0].said} is timed by happened more than once, and it makes a difference which is meant"
    )


def _in_window(context: MatchContext, clause: Clause, text: str, window: Window) -> Outcome:
    if clause.limits.count is not None:
        return _counted(context, clause, text, window)
    if clause.limits.lasting is not None:
        return judge_lasting(context, clause.limits, text, window)
    by_onset = clause.verb in {Verb.APPEARS, Verb.SHOWN}
    by_stay = clause.verb in {Verb.VISIBLE, Verb.SHOWN}
    judge = _absent if clause.negated else _present
    outcomes = [
        judge(context, text, window, onset=onset) for onset, asked in ((True, by_onset), (False, by_stay)) if asked
    ]
    return agreed(
        outcomes,
        f'"{short(text)}" was there already before; say "appears" if it shall come{window.said}, "is visible" if not',
    )


def _places(appearances: Sequence[Appearance], window: Window, *, onset: bool) -> list[tuple[Place, Appearance]]:
    return [
        (window.place(each.t_ms) if onset else window.place_of_stay(each.t_ms, each.until_ms), each)
        for each in appearances
    ]


def _present(context: MatchContext, text: str, window: Window, *, onset: bool) -> Outcome:
    placed = _places(context.appearances(text), window, onset=onset)
    for place, appearance in placed:
        if place is Place.IN:
            return passed(describe_appearance(text, appearance), evidence_of(appearance), *window.evidence)
    for place, appearance in placed:
        if place is Place.EDGE:
            return _too_close(text, appearance, window)
    if not placed:
        return failed(context.missing(text))
    return failed(
        f"{describe_appearance(text, placed[0][1])}, not{window.said}", evidence_of(placed[0][1]), *window.evidence
    )


def _absent(context: MatchContext, text: str, window: Window, *, onset: bool) -> Outcome:
    placed = _places(context.appearances(text), window, onset=onset)
    for place, appearance in placed:
        if place is Place.IN:
            return failed(describe_appearance(text, appearance), evidence_of(appearance), *window.evidence)
    for place, appearance in placed:
        if place is Place.EDGE:
            return _too_close(text, appearance, window)
    if not context.screen.sightings:
        return unclear(f"{context.absent(text)}; that proves nothing")
    reason = f"{describe_appearance(text, placed[0][1])}, not{window.said}" if placed else context.absent(text)
    return passed(reason, context.whole_span(), *window.evidence)


def _too_close(text: str, appearance: Appearance, window: Window) -> Outcome:
    reason = f'"{short(text)}" appeared at {clock(appearance.t_ms)}: too close to tell whether that is{window.said}'
    return unclear(reason, evidence_of(appearance), *window.evidence)


def _counted(context: MatchContext, clause: Clause, text: str, window: Window) -> Outcome:
    compare, bound = clause.limits.count or (Compare.EXACTLY, 1)
    if clause.negated:
        if compare is Compare.EXACTLY:
            return unclear('"not" together with a number of times can be read in two ways; say "at most" or "never"')
        compare = _OPPOSITE[compare]
    placed = _places(context.appearances(text), window, onset=True)
    inside = [appearance for place, appearance in placed if place is Place.IN]
    close = next((appearance for place, appearance in placed if place is Place.EDGE), None)
    if close is not None:
        return _too_close(text, close, window)
    outcomes = [
        _compared(context, text, inside, count, (compare, bound)) for count in (len(inside), context.instances(inside))
    ]
    return agreed(
        outcomes,
        f'"{short(text)}" appeared {_times(len(inside))}, but stood in several places at once: '
        f"{_times(context.instances(inside))} if each is counted",
    )


def _compared(
    context: MatchContext, text: str, inside: Sequence[Appearance], count: int, wanted: tuple[Compare, int]
) -> Outcome:
    compare, bound = wanted
    moments = ", ".join(clock(each.t_ms) for each in inside[:8])
    reason = f'"{short(text)}" appeared {_times(count)} ({moments})' if inside else context.absent(text)
    evidence = [evidence_of(each) for each in inside] or [context.whole_span()]
    return passed(reason, *evidence) if compare.holds(count, bound) else failed(reason, *evidence)


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def judge_lasting(context: MatchContext, limits: Limits, text: str, window: Window) -> Outcome:
    """Whether the text stood as long as it should; it may have come several times."""
    compare, bound = limits.lasting or (Compare.AT_LEAST, 0)
    stays = [each for each in context.appearances(text) if window.place(each.t_ms) is not Place.OUT]
    if not stays:
        return failed(
            context.missing(text) if not context.appearances(text) else f'"{short(text)}" did not appear{window.said}'
        )
    outcomes = [_lasted(context, text, each, compare, bound) for each in stays]
    if compare in {Compare.AT_LEAST, Compare.MORE} or len(outcomes) == 1:
        return any_of(outcomes)
    return agreed(outcomes, f'"{short(text)}" appeared {_times(len(stays))}, not each time for as long')


def _lasted(context: MatchContext, text: str, stay: Appearance, compare: Compare, bound: int) -> Outcome:
    lasted = stay.lasted(context.screen.duration_ms)
    evidence = evidence_of(stay)
    reason = f"{describe_appearance(text, stay)}: {seconds(lasted)}"
    over, edge = lasted - bound, context.screen.edge_ms
    wants_long = compare in {Compare.AT_LEAST, Compare.MORE}
    if stay.until_ms is None and (over < 0 or (over == 0 and not wants_long)):
        return unclear(f"{reason}, and then the clip ends", evidence)
    if compare is Compare.EXACTLY:
        return passed(reason, evidence) if abs(over) <= edge else failed(reason, evidence)
    missing = -over if wants_long else over
    if missing <= 0:
        return passed(reason, evidence)
    return (
        unclear(f"{reason}, too close to {seconds(bound)} to tell", evidence)
        if missing <= edge
        else failed(reason, evidence)
    )


def _always(context: MatchContext, text: str) -> Outcome:
    appearances = context.appearances(text)
    if not appearances:
        return failed(context.missing(text))
    first = appearances[0]
    if first.t_ms <= context.screen.first_ms and first.until_ms is None:
        return passed(describe_appearance(text, first), evidence_of(first))
    return failed("; ".join(describe_appearance(text, each) for each in appearances[:4]), evidence_of(first))


def _at(context: MatchContext, clause: Clause, text: str, moment: Moment | int) -> Outcome:
    if moment in {Moment.FIRST, Moment.LAST}:
        return _ranked(context, text, is_first=moment is Moment.FIRST)
    named = f"at {clock(moment)}" if isinstance(moment, int) else moment.value
    if isinstance(moment, int) and moment > context.screen.duration_ms:
        return unclear(f"the clip ends at {clock(context.screen.duration_ms)}, before {clock(moment)}")
    found = _at_moment(context, text, moment)
    if found is None:
        return _not_at(context, clause, text, named)
    if isinstance(found, Outcome):
        return found
    came_before = moment is Moment.END and found.t_ms <= context.screen.first_ms
    if clause.verb is Verb.APPEARS and came_before and not clause.negated:
        return unclear(f"{describe_appearance(text, found)}: at the end, but it did not come then", evidence_of(found))
    make = failed if clause.negated else passed
    return make(f"{describe_appearance(text, found)}, so it was there {named}", evidence_of(found))


def _not_at(context: MatchContext, clause: Clause, text: str, named: str) -> Outcome:
    appearances = context.appearances(text)
    reason = f"{describe_appearance(text, appearances[-1])}, not {named}" if appearances else context.absent(text)
    if not clause.negated:
        return failed(reason, *[evidence_of(each) for each in appearances[-1:]])
    if not context.screen.sightings:
        return unclear(f"{reason}; that proves nothing")
    return passed(reason, context.whole_span())


def _at_moment(context: MatchContext, text: str, moment: Moment | int) -> Appearance | Outcome | None:
    """The appearance that covers a moment, ``None`` when none does, or the reason why it is unclear."""
    edge = context.screen.edge_ms
    if moment is Moment.END:
        return _at_end(context, text)
    at = moment if isinstance(moment, int) else context.screen.first_ms
    for each in context.appearances(text):
        until = context.screen.duration_ms + 1 if each.until_ms is None else each.until_ms
        if each.t_ms <= at < until:
            return each
        if at < each.t_ms <= at + edge or at - edge <= until <= at:
            return unclear(f"{describe_appearance(text, each)}, too close to tell", evidence_of(each))
    return None


def _at_end(context: MatchContext, text: str) -> Appearance | Outcome | None:
    last = next(reversed(context.appearances(text)), None)
    if last is None or last.until_ms is None or last.until_ms < context.screen.duration_ms - context.screen.edge_ms:
        return last if last and last.until_ms is None else None
    return unclear(f"{describe_appearance(text, last)}, too close to the end to tell", evidence_of(last))


def _ranked(context: MatchContext, text: str, *, is_first: bool) -> Outcome:
    """First or last of all texts to come, or on the first or last screen; unclear where these disagree."""
    appearances = context.appearances(text)
    if not appearances:
        return failed(context.missing(text))
    starts = sorted({sighting.t_ms for sighting in context.screen.sightings})
    mine = {each.t_ms for each in appearances}
    evidence = evidence_of(appearances[0] if is_first else appearances[-1])
    if is_first:
        comes = next((start for start in starts if start > context.screen.first_ms), None)
        readings = (context.screen.first_ms in mine, context.screen.first_ms in mine or comes in mine)
    else:
        readings = (appearances[-1].until_ms is None, max(mine) == starts[-1])
    word = "first" if is_first else "last"
    reason = describe_appearance(text, appearances[0] if is_first else appearances[-1])
    outcomes = [
        passed(reason, evidence) if holds else failed(f"{reason}; other text was {word}", evidence)
        for holds in readings
    ]
    return agreed(outcomes, f'{reason}: whether that is "{word}" can be read in two ways')
