"""Judging what happens to a text: it disappears, stays, is typed, changes into another."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from core.analysis import EventKind, Evidence, VerdictResult
from core.expectations.claims import Limits, Moment, Outcome, Verb, agreed, all_of, failed, passed, unclear
from core.expectations.match_context import (
    MatchContext,
    Place,
    Window,
    describe_appearance,
    evidence_of,
    seconds,
    short,
)
from core.expectations.matching import Line
from core.expectations.presence import judge_lasting, judge_presence
from core.narrative import clock

if TYPE_CHECKING:
    from core.analysis import Event, Region
    from core.expectations.claims import Clause, Happening
    from core.expectations.screen import Appearance, Seen

CHANGE_MS = 1000
"""A text that takes another's place comes at most this long after it went."""


def judge_going(context: MatchContext, clause: Clause, text: str) -> Outcome:
    """Whether a text disappears, or does not."""
    appearances = context.appearances(text)
    if not appearances:
        return (
            unclear(f"{context.absent(text)}, so it could not disappear")
            if clause.negated
            else failed(context.missing(text))
        )
    if clause.limits.at is not None:
        return (
            _gone_at_end(appearances, text)
            if clause.limits.at is Moment.END and not clause.negated
            else _no_such_moment()
        )
    if (
        clause.limits.within_ms is not None
        and clause.limits.after is None
        and clause.limits.within_of is not Moment.START
    ):
        return _gone_within(context, clause, text, appearances)
    windows = context.windows(clause.limits, negated=clause.negated, going=True)
    if isinstance(windows, Outcome):
        return windows
    outcomes = [_gone_in(appearances, text, window, negated=clause.negated) for window in windows]
    going = agreed(
        outcomes, f"what{windows[0].said} is timed by happened more than once, and it makes a difference which is meant"
    )
    is_state = clause.verb is Verb.AWAY and not clause.negated and clause.limits == Limits(after=clause.limits.after)
    return _gone_by_then(context, clause, text, going, *windows[0].evidence) if is_state and windows[0].said else going


def _gone_by_then(context: MatchContext, clause: Clause, text: str, going: Outcome, *then: Evidence) -> Outcome:
    """Whether a text is gone after a moment: it is, too, when it went before."""
    away = judge_presence(context, replace(clause, verb=Verb.VISIBLE, negated=True), text)
    if away.result is VerdictResult.PASS:
        last = context.appearances(text)[-1]
        return passed(describe_appearance(text, last), evidence_of(last, last.until_ms), *then)
    why = 'say "disappears after" if it shall go then, or "is not shown after" if it shall be gone before'
    return agreed([going, away], f"{describe_appearance(text, context.appearances(text)[0])}: {why}")


def _no_such_moment() -> Outcome:
    return unclear("how a text disappears at that moment can be read in several ways")


def _gone_at_end(appearances: list[Appearance], text: str) -> Outcome:
    last = appearances[-1]
    if last.until_ms is None:
        return failed(describe_appearance(text, last), evidence_of(last))
    return passed(describe_appearance(text, last), evidence_of(last, last.until_ms))


def _gone_in(appearances: list[Appearance], text: str, window: Window, *, negated: bool) -> Outcome:
    placed = [(window.place(each.until_ms), each) for each in appearances if each.until_ms is not None]
    first, last = appearances[0], appearances[-1]
    for place, each in placed:
        if place is Place.EDGE or (place is Place.IN and not negated and last.until_ms is None and not window.said):
            why = "but it came again" if place is Place.IN else f"too close to tell whether that is{window.said}"
            return unclear(f"{describe_appearance(text, each)}, {why}", evidence_of(each, each.until_ms))
        if place is Place.IN:
            make = failed if negated else passed
            return make(describe_appearance(text, each), evidence_of(each, each.until_ms), *window.evidence)
    reason = f"{describe_appearance(text, placed[0][1] if placed else first)}"
    reason += f", so it did not disappear{window.said}"
    return passed(reason, evidence_of(first)) if negated else failed(reason, evidence_of(first), *window.evidence)


def _gone_within(context: MatchContext, clause: Clause, text: str, appearances: list[Appearance]) -> Outcome:
    """Within N seconds of its own coming, or of the start of the clip: unclear where it matters and is not said."""
    limit = clause.limits.within_ms or 0
    edge = context.screen.edge_ms
    own = [
        _gone_in(
            [each],
            text,
            Window(None, each.t_ms + limit, edge_ms=edge, said=f" within {seconds(limit)}"),
            negated=clause.negated,
        )
        for each in appearances
    ]
    readings = [all_of(own)]
    if clause.limits.within_of is None:
        window = Window(None, limit, edge_ms=edge, said=f" within {seconds(limit)} of the start")
        readings.append(_gone_in(appearances[:1], text, window, negated=clause.negated))
    span = seconds(limit)
    how = f'say "within {span} after it appears" or "within {span} of the start"'
    return agreed(
        readings, f"{describe_appearance(text, appearances[0])}; it is not said what the time is counted from: {how}"
    )


def judge_staying(context: MatchContext, clause: Clause, text: str) -> Outcome:
    """Whether a text stays: for a time, until something else happens, or from its coming to the end."""
    limits = clause.limits
    if clause.negated:
        return unclear('"not" together with staying can be read in two ways; say "disappears" or "for at most N s"')
    if limits.lasting is not None:
        return judge_lasting(context, limits, text, Window(edge_ms=context.screen.edge_ms))
    if limits.always or limits.at is not None:
        return judge_presence(context, clause, text)
    appearances = context.appearances(text)
    if not appearances:
        return failed(context.missing(text))
    first = appearances[0]
    if limits.until is not None:
        return _stays_until(context, limits.until, text, first)
    make = passed if first.until_ms is None else failed
    return make(describe_appearance(text, first), evidence_of(first))


def _stays_until(context: MatchContext, end: Happening, text: str, first: Appearance) -> Outcome:
    others = context.appearances(end.text)
    moments = [moment for each in others if (moment := each.until_ms if end.gone else each.t_ms) is not None]
    if not moments:
        return failed(f"{end} is what it should stay for, but that never happened", evidence_of(first))
    reason = f"{describe_appearance(text, first)}; {end} at {clock(moments[0])}"
    if first.t_ms <= moments[0] and (first.until_ms is None or first.until_ms >= moments[0]):
        return passed(reason, evidence_of(first), evidence_of(others[0], moments[0]))
    return failed(reason, evidence_of(first))


def judge_typing(context: MatchContext, clause: Clause, text: str) -> Outcome:
    """Whether a text was typed, which only the timeline tells."""
    typed = [
        event
        for event in context.screen.findings.timeline
        if event.kind is EventKind.TYPED and _says(context, event, text)
    ]
    windows = context.windows(clause.limits, negated=clause.negated)
    if isinstance(windows, Outcome):
        return windows
    inside = [
        event for event in typed if all(window.place(event.until_ms or event.t_ms) is Place.IN for window in windows)
    ]
    if inside:
        event = inside[0]
        evidence = Evidence(t_ms=event.until_ms or event.t_ms, frame=event.frame, quote=event.text)
        make = failed if clause.negated else passed
        return make(f'"{short(event.text or "")}" was typed at {clock(event.t_ms)}', evidence)
    seen = context.appearances(text)
    if typed or seen:
        what = (
            f'"{short(text)}" was typed at {clock(typed[0].t_ms)}, at another time'
            if typed
            else describe_appearance(text, seen[0])
        )
        return unclear(f"{what}; that it was typed then could not be seen", *[evidence_of(each) for each in seen[:1]])
    if not clause.negated:
        return failed(context.missing(text))
    return (
        passed(context.absent(text), context.whole_span())
        if context.screen.sightings
        else unclear(context.absent(text))
    )


def _says(context: MatchContext, event: Event, text: str) -> bool:
    return (
        event.text is not None and context.wanted[text].closeness(Line(event.text, event.confidence)) >= context.least
    )


def judge_change(context: MatchContext, clause: Clause) -> Outcome:
    """Whether each text gave way to the next in the same place."""
    windows = context.windows(clause.limits, negated=clause.negated)
    if isinstance(windows, Outcome):
        return windows
    pairs = itertools.pairwise(clause.texts)
    outcome = all_of([_changed(context, before, after, windows) for before, after in pairs])
    if not clause.negated or outcome.result is VerdictResult.UNCLEAR:
        return outcome
    if outcome.result is VerdictResult.PASS:
        return failed(outcome.reason, *outcome.evidence)
    first = context.appearances(clause.texts[0])
    if not first:
        return unclear(outcome.reason)
    return passed(outcome.reason, evidence_of(first[0]))


def _changed(context: MatchContext, before: str, after: str, windows: list[Window]) -> Outcome:
    olds, news = context.seen(before), context.seen(after)
    for text, found in ((before, olds), (after, news)):
        if not found:
            return failed(context.missing(text))
    pairs = sorted(((old, new) for old in olds for new in news if old.t_ms < new.t_ms), key=lambda pair: pair[1].t_ms)
    if not pairs:
        reason = f'"{short(after)}" never came after "{short(before)}"'
        return failed(reason, *[_evidence(one) for one in (olds[0], news[0])])
    for old, new in pairs:
        if _took_the_place(old, new) and all(window.place(new.t_ms) is Place.IN for window in windows):
            reason = f'"{short(old.quote)}" changed to "{short(new.quote)}" at {clock(new.t_ms)}'
            return passed(reason, _evidence(old), _evidence(new))
    if all(old.until_ms is None for old, _ in pairs):
        return failed(f'"{short(before)}" stayed to the end', _evidence(pairs[0][0]))
    old, new = pairs[0]
    reason = f'"{short(before)}" was there, and "{short(after)}" came at {clock(new.t_ms)}, but later or elsewhere'
    return unclear(reason, _evidence(old), _evidence(new))


def _took_the_place(old: Seen, new: Seen) -> bool:
    if old.until_ms is None or abs(new.t_ms - old.until_ms) > CHANGE_MS:
        return False
    return old.region is None or new.region is None or _overlaps(old.region, new.region)


def _overlaps(first: Region, second: Region) -> bool:
    across = min(first[0] + first[2], second[0] + second[2]) - max(first[0], second[0])
    down = min(first[1] + first[3], second[1] + second[3]) - max(first[1], second[1])
    return across > 0 and down > 0


def _evidence(seen: Seen) -> Evidence:
    return Evidence(t_ms=seen.t_ms, frame=seen.frame, quote=seen.quote)
