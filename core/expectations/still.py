"""Judging what is said of one still screen: what is quoted must be seen on it, or must not.

The sentences are those of ``grammar``, read more leniently: a workflow says "the Name field contains "alice"", and the
words that no rule knows are read over, unless they could turn the meaning round. Time stands still here: what
disappears is not there, what is typed, appears or stays is there, and what changed is there in its new form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.analysis import Evidence, Findings, Sighting, VerdictResult
from core.expectations.claims import (
    Claim,
    Clause,
    Compare,
    Moment,
    NotUnderstood,
    Outcome,
    Verb,
    all_of,
    failed,
    passed,
    unclear,
)
from core.expectations.grammar import readings_of
from core.expectations.judge import LONGEST_EXPECTATION, in_all_contexts, of_texts
from core.expectations.match_context import MatchContext, short
from core.expectations.matching import canonical
from core.expectations.screen import Screen
from core.expectations.vocabulary import Mark, Meaning, QuotedWords, Symbol, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.expectations.screen import Seen
    from core.screens import TextLine


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALSO_SHOWN = (
    "open|opens|opened|load|loads|loaded|list|lists|listed|add|adds|added|create|creates|created|save|saves|saved|send"
    "|sends|sent|fill|fills|filled|filled in|set|render|renders|rendered|update|updates|updated|equals|matches|holds"
)
_MORE: dict[tuple[str, ...], Meaning] = {
    **{tuple(phrase.split()): (Mark.VERB, Verb.SHOWN) for phrase in _ALSO_SHOWN.split("|")},
    ("no", "longer"): (Mark.NOT, None),
    **{(word,): (Mark.VERB, Verb.GONE) for word in ("deleted", "erased", "discarded")},
}
"""What is said of the outcome of an action, besides what is said of videos."""

_TURNING = _words(
    "lack lacks lacking without except excluding excludes instead rather unlike than fail fails failed refuse refuses"
    " refused rejected cancelled canceled hide hides if unless when whenever while none nobody nothing nowhere hardly"
    " wrong other another different differs elsewhere outside omit omits omitted leave leaves clear clears"
    " cleared emptied untouched unchanged replaced replaces delete deletes remove removes discard discards"
)
"""Words with which the same quoted text may be meant to be absent."""

_STATES = _words(
    "checked unchecked ticked unticked selected unselected deselected highlighted enabled disabled grey greyed gray"
    " grayed active inactive focused expanded collapsed bold italic red green blue yellow orange black white empty"
    " blank off playing paused marked starred pinned locked unlocked crossed underlined bigger larger smaller"
)
"""Words that say how a thing looks on which a text stands; of that, lines of text tell nothing."""
_ON = re.compile(r"\bon(?=\s*(?:$|[,:)]|and\b|or\b))", re.IGNORECASE)

_DOING = _words(
    "click clicks clicking clicked press presses pressing pressed tap taps tapping tapped choose chooses choosing"
    " chose chosen hit hits hitting submit submits submitting submitted"
)
"""Words for what is done with a text, which may be gone then."""

_PLAIN = frozenset(
    {Mark.QUOTE, Mark.VERB, Mark.AND, Mark.COMMA, Mark.THEN, Mark.AT, Mark.TO, Mark.OF, Mark.FROM, Mark.FOR}
    | {Mark.PLACE, Mark.MOMENT, Mark.EDGE, Mark.NUMBER}
)
"""With these alone every quoted text is meant to be there, however the sentence is built."""

_PLACE_OF_VALUE = re.compile(r"\{(?!number\})[^\W\d]\w*\}")
"""``{number}`` is any number, which is looked for."""
_TRANSIENT = frozenset({"before", "until", "lasting", "at"})


@dataclass(frozen=True)
class Judged:
    """What became of one sentence."""

    sentence: str
    outcome: Outcome
    quotes: bool
    """Whether it quotes anything; if not, there was nothing to look for."""


def still(lines: Sequence[TextLine]) -> Screen:
    """One screen, by its lines."""
    sightings = tuple(
        Sighting(
            text=line.text,
            t_ms=0,
            region=(line.box.x, line.box.y, line.box.width, line.box.height),
            confidence=min(max(line.score, 0.0), 1.0),
        )
        for line in lines
    )
    return Screen(Findings(sightings=sightings))


def judge_still(sentence: str, screen: Screen, before: Screen | None = None) -> Judged:
    """Judge one sentence. ``before`` is the screen as it was before the action, for what is said to have changed."""
    if len(sentence) > LONGEST_EXPECTATION:
        return Judged(sentence, unclear("it is too long to be read"), quotes=True)
    try:
        words = read(sentence, _MORE)
    except NotUnderstood as reason:
        return Judged(sentence, unclear(f"not understood: {reason}"), quotes=True)
    quotes = [symbol.value for symbol in words.symbols if symbol.mark is Mark.QUOTE]
    if not quotes:
        return Judged(sentence, unclear("nothing is quoted in it that could be looked for"), quotes=False)
    turning = next((word for word in words.unknown if word in _TURNING), None)
    if turning is not None:
        reason = f'with "{turning}" it is not clear whether "{short(quotes[0])}" should be seen'
        return Judged(sentence, unclear(reason), quotes=True)
    try:
        readings = _readings(words)
    except NotUnderstood as reason:
        return Judged(sentence, unclear(f"not understood: {reason}"), quotes=True)
    outcome = in_all_contexts(readings, screen, partial(_clause, before=before), _where)
    return Judged(sentence, _with_unjudged(outcome, sentence, words), quotes=True)


def texts_of_presence(sentence: str) -> tuple[str, ...]:
    """The quoted texts of a sentence that says of each that it is there, and nothing else; none of any other.

    Such a sentence holds on a whole screen when it holds on a part of it.
    """
    try:
        words = read(sentence, _MORE)
        claims = _readings(words)
    except NotUnderstood:
        return ()
    clauses = [clause for claim in claims for clause in claim.clauses]
    says_more = any(
        each.negated or each.limits.named() or each.verb is Verb.CHANGES or each.verb.is_going for each in clauses
    )
    texts = tuple(symbol.value for symbol in words.symbols if symbol.mark is Mark.QUOTE)
    return () if says_more or _TURNING & set(words.unknown) else texts


def _readings(words: QuotedWords) -> Sequence[Claim]:
    try:
        return readings_of(words.symbols)
    except NotUnderstood:
        if not all(symbol.mark in _PLAIN and _is_positive(symbol) for symbol in _without_becoming(words.symbols)):
            raise
    texts = [symbol.value for symbol in words.symbols if symbol.mark is Mark.QUOTE]
    return (Claim((Clause(tuple(texts), Verb.VISIBLE),)),)


def _without_becoming(symbols: list[Symbol]) -> list[Symbol]:
    """Without the verb of 'becomes "Sent"': of what it was nothing is said, so what it is now is all there is."""
    marks = [symbol.mark for symbol in symbols]
    at = next((index for index, symbol in enumerate(symbols) if symbol.value is Verb.CHANGES), None)
    if at is None or marks.count(Mark.QUOTE) != 1 or marks.index(Mark.QUOTE) < at:
        return symbols
    return symbols[:at] + symbols[at + 1 :]


def _is_positive(symbol: Symbol) -> bool:
    if symbol.mark is Mark.MOMENT:
        return symbol.value is Moment.END
    is_there = symbol.value in {Verb.TYPED, Verb.STAYS} or (isinstance(symbol.value, Verb) and symbol.value.is_showing)
    return symbol.mark is not Mark.VERB or is_there


def _with_unjudged(outcome: Outcome, sentence: str, words: QuotedWords) -> Outcome:
    """Say what of the sentence was not judged, and doubt what that leaves open."""
    prose = re.sub(r"\s+", " ", _without_quotes(sentence, words))
    state = next((word for word in words.unknown if word in _STATES), "on" if _ON.search(prose) else None)
    if state is not None and outcome.result is VerdictResult.PASS:
        return unclear(f'{outcome.reason}, but whether it is "{state}" is not told by text', *outcome.evidence)
    doing = next((word for word in words.unknown if word in _DOING), None)
    if doing is not None and outcome.result is VerdictResult.FAIL:
        return unclear(f'{outcome.reason}, but after "{doing}" it may be gone', *outcome.evidence)
    if (words.unknown or words.kinds) and outcome.result is VerdictResult.PASS:
        return replace(outcome, reason=f"{outcome.reason} (only the quoted text was looked for)")
    return outcome


def _without_quotes(sentence: str, words: QuotedWords) -> str:
    for symbol in words.symbols:
        if symbol.mark is Mark.QUOTE:
            sentence = sentence.replace(symbol.value, " ")
    return re.sub(r"[^\w\s,:()-]", "", sentence).strip()


def _clause(context: MatchContext, clause: Clause, *, before: Screen | None) -> Outcome:
    if clause.verb is Verb.CHANGES:
        return _changed(context, clause, before)
    return of_texts(clause, [_text(context, clause, text) for text in clause.texts])


def _text(context: MatchContext, clause: Clause, text: str) -> Outcome:
    if _PLACE_OF_VALUE.search(text):
        return unclear(f'"{short(text)}" stands for a value that is not looked for')
    absent = clause.negated != clause.verb.is_going
    timed = clause.limits.named() - ({"at"} if clause.limits.at is Moment.END else set()) - {"count"}
    if clause.limits.count is not None:
        outcome = _counted(context, clause, text, clause.limits.count)
    else:
        outcome = _absent(context, text) if absent else _present(context, text)
    if not timed:
        return outcome
    if absent or (outcome.result is VerdictResult.FAIL and timed & _TRANSIENT):
        return unclear(f"{outcome.reason}; when it was is not told by one screen", *outcome.evidence)
    if outcome.result is VerdictResult.PASS:
        return replace(outcome, reason=f"{outcome.reason} (not judged: when)")
    return outcome


def _present(context: MatchContext, text: str) -> Outcome:
    found = context.seen(text)
    if not found:
        return failed(context.missing(text))
    best = max(found, key=lambda one: one.closeness)
    return passed(_seen(text, best), Evidence(t_ms=0, quote=best.quote))


def _absent(context: MatchContext, text: str) -> Outcome:
    found = context.seen(text)
    if found:
        return failed(_seen(text, found[0]), Evidence(t_ms=0, quote=found[0].quote))
    if not context.screen.sightings:
        return unclear(f"{context.absent(text)}; that proves nothing")
    return passed(context.absent(text), Evidence(t_ms=0))


def _counted(context: MatchContext, clause: Clause, text: str, wanted: tuple[Compare, int]) -> Outcome:
    compare, bound = wanted
    if clause.negated and compare is Compare.EXACTLY:
        return unclear('"not" together with a number of times can be read in two ways; say "at most" or "never"')
    if not context.screen.sightings:
        return unclear(f"{context.absent(text)}; that proves nothing")
    found = context.seen(text)
    count = context.screen.instances(found)
    reason = f'"{short(text)}" is seen {count} times' if count != 1 else f"{_seen(text, found[0])}, and only there"
    evidence = [Evidence(t_ms=0, quote=one.quote) for one in found] or [Evidence(t_ms=0)]
    return (passed if compare.holds(count, bound) != clause.negated else failed)(reason, *evidence)


def _changed(context: MatchContext, clause: Clause, before: Screen | None) -> Outcome:
    """Whether the last text is there, and those that it took the place of are not, or not in its place."""
    if clause.limits.named() or any(_PLACE_OF_VALUE.search(text) for text in clause.texts):
        return unclear("when it changed, or from what, is not told by one screen")
    *olds, new = clause.texts
    came, went = _present(context, new), all_of([_gone_from(context, old, new, before) for old in olds])
    if not clause.negated:
        return all_of([came, went])
    if came.result is VerdictResult.FAIL:
        stayed = _present(context, olds[-1])
        return stayed if stayed.result is VerdictResult.PASS else unclear(f"{stayed.reason}; {came.reason}")
    return failed(came.reason, *came.evidence) if went.result is VerdictResult.PASS else unclear(came.reason)


def _gone_from(context: MatchContext, old: str, new: str, before: Screen | None) -> Outcome:
    gone = _absent(context, old)
    if gone.result is not VerdictResult.FAIL:
        return gone
    earlier = MatchContext(before, context.wanted, context.least).seen(old) if before is not None else []
    for one in context.seen(new):
        if any(_share_a_place(one, other) for other in earlier):
            return passed(f'"{short(old)}" stood {_where(one)} before', Evidence(t_ms=0, quote=one.quote))
    return unclear(f"{gone.reason}, too: it cannot be told whether that changed", *gone.evidence)


def _share_a_place(one: Seen, other: Seen) -> bool:
    if one.region is None or other.region is None:
        return False
    across = min(one.region[0] + one.region[2], other.region[0] + other.region[2]) - max(one.region[0], other.region[0])
    down = min(one.region[1] + one.region[3], other.region[1] + other.region[3]) - max(one.region[1], other.region[1])
    return across > 0 and down > 0


def _seen(text: str, seen: Seen) -> str:
    is_whole = canonical(text).casefold() == canonical(seen.quote).casefold()
    as_read = "" if is_whole else f' in the line "{short(seen.quote)}"'
    return f'"{short(text)}" is seen{as_read} {_where(seen)}'


def _where(seen: Seen) -> str:
    if seen.region is None:
        return "on the screen"
    x, y, width, height = seen.region
    return f"at {x + width // 2}, {y + height // 2}"
