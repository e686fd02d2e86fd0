"""From a sentence to claims: what each clause leaves unsaid is taken from its neighbours, or it is not understood.

A sentence is one or more clauses joined by and / or / then. A clause holds one group of quoted texts and one verb in
either order, and limits before or after them; ``parser`` has a rule for each kind of symbol.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.expectations.claims import Claim, Clause, Happening, Join, Limits, Moment, NotUnderstood, Verb
from core.expectations.parser import Draft, Parser
from core.expectations.vocabulary import Mark, no_rule, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.expectations.vocabulary import Symbol


@dataclass(frozen=True)
class Parsed:
    """The ways in which a sentence can be read (nearly always one), and what its texts are said to stand on."""

    readings: tuple[Claim, ...]
    kinds: tuple[str, ...]


def parse(sentence: str) -> Parsed:
    """Understand an expectation.

    Raises:
        NotUnderstood: with the reason, in words for the user.

    """
    words = read(sentence)
    if words.unknown:
        raise NotUnderstood(no_rule(words.unknown))
    return Parsed(readings_of(words.symbols), words.kinds)


def readings_of(symbols: Sequence[Symbol]) -> tuple[Claim, ...]:
    """The ways in which the symbols of a sentence can be read, never none.

    Raises:
        NotUnderstood: with the reason, in words for the user.

    """
    if not any(symbol.mark is Mark.QUOTE for symbol in symbols):
        raise NotUnderstood('it quotes no text; put what should be on screen in quotation marks: "Saved" is shown')
    drafts, join = Parser(symbols).drafts()
    if len(symbols) == 1:
        raise NotUnderstood(f'it does not say what the text does; write "{drafts[0].texts[0][:40]}" is shown')
    return _readings(drafts, join)


def _readings(drafts: list[Draft], join: Join) -> tuple[Claim, ...]:
    has_then = any(draft.follows for draft in drafts)
    has_own_texts = all(draft.texts for draft in drafts)
    _share_texts(drafts)
    _share_verbs(drafts, has_then=has_then)
    clauses = [_clause(draft) for draft in drafts]
    for index, draft in enumerate(drafts):
        if draft.follows:
            clauses[index] = _after(clauses[index - 1], clauses[index])
            clauses[index - 1] = _without_first(clauses[index - 1])
    as_it_stands = Claim(tuple(clauses), join)
    shared = _shared_limits(drafts) if has_own_texts and not has_then else None
    if shared is None:
        return (as_it_stands,)
    return (as_it_stands, Claim(tuple(replace(clause, limits=shared) for clause in clauses), join))


def _shared_limits(drafts: Sequence[Draft]) -> Limits | None:
    """Limits that stand before the first or after the last of several clauses, and so may be meant for all."""
    limited = [draft for draft in drafts if draft.limits.named()]
    if len(drafts) == 1 or len(limited) != 1:
        return None
    is_outside = limited[0] is drafts[0] if limited[0].fronted else limited[0] is drafts[-1]
    return limited[0].limits if is_outside else None


def _share_texts(drafts: Sequence[Draft]) -> None:
    """Give clauses without a text that of the clause before: "A" appears and disappears."""
    for index, draft in enumerate(drafts):
        if draft.texts:
            continue
        if index == 0 or len(drafts[index - 1].texts) != 1:
            raise NotUnderstood("it does not say which text is meant")
        draft.texts = list(drafts[index - 1].texts)


def _share_verbs(drafts: Sequence[Draft], *, has_then: bool) -> None:
    """Give clauses without a verb that of the clause before, else of the one after."""
    for earlier, draft in itertools.pairwise([Draft(), *drafts]):
        if draft.verb is None and draft.placed:
            draft.verb = Verb.VISIBLE
        if draft.verb is None and earlier.verb is not None:
            if isinstance(earlier.limits.after or earlier.limits.before, Happening):
                raise NotUnderstood(f'what is said of "{draft.texts[0]}" can be read in two ways')
            draft.verb = earlier.verb
    for draft, later in itertools.pairwise([*drafts, Draft()][::-1]):
        later.verb = later.verb or draft.verb
    for draft in drafts:
        if draft.verb is None and (has_then or draft.negated):
            draft.verb = Verb.SHOWN
        if draft.verb is None:
            raise NotUnderstood(f'it does not say what "{draft.texts[0]}" does (is shown, is not shown, disappears, …)')


def _clause(draft: Draft) -> Clause:
    verb = Verb.VISIBLE if draft.verb is Verb.SEES else draft.verb
    if verb is Verb.CHANGES and len(draft.texts) < 2:  # noqa: PLR2004 - from one to another
        raise NotUnderstood('a change needs both texts: changes from "0" to "1"')
    join = Join.AND if draft.none_of else draft.join
    return Clause(tuple(draft.texts), verb or Verb.SHOWN, draft.negated, join, draft.limits)


def _after(earlier: Clause, later: Clause) -> Clause:
    is_plain = len(earlier.texts) == 1 and not earlier.negated and (earlier.verb.is_showing or earlier.verb.is_going)
    if not is_plain or later.limits.after is not None:
        raise NotUnderstood('"then" needs one single event before it')
    return replace(later, limits=replace(later.limits, after=Happening(earlier.texts[0], earlier.verb.is_going)))


def _without_first(clause: Clause) -> Clause:
    """The clause without its "first", when a "then" follows: together they only say the order."""
    return replace(clause, limits=replace(clause.limits, at=None)) if clause.limits.at is Moment.FIRST else clause
