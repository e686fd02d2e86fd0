"""From symbols to clauses: each kind of symbol has its own small rule.

A symbol that no rule takes where it stands makes the sentence ``NotUnderstood``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from core.expectations.claims import Anchor, Compare, Happening, Join, Limits, Moment, NotUnderstood, Verb
from core.expectations.vocabulary import HIDDEN, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.expectations.vocabulary import Symbol

_JOINS = {Mark.AND: Join.AND, Mark.NOR: Join.AND, Mark.COMMA: Join.AND, Mark.OR: Join.OR}
_AND_AND_OR = '"and" and "or" together can be read in two ways; write two expectations'
_SEPARATORS = frozenset({*_JOINS, Mark.THEN})


@dataclass
class Draft:
    """A clause while it is read; what it leaves unsaid is ``None`` or empty."""

    texts: list[str] = field(default_factory=list[str])
    join: Join = Join.AND
    verb: Verb | None = None
    negated: bool = False
    none_of: bool = False
    """Negated by "no" or "neither", which deny each of several texts."""
    placed: bool = False
    """Whether it says "on the screen", which is a verb where no other is."""
    limits: Limits = field(default_factory=Limits)
    fronted: bool = False
    """Whether its limits stand before everything else."""
    follows: bool = False
    """Whether it was introduced by "then"."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing can be denied in it any more."""
        return bool(self.texts) and self.verb is not None

    def limit(self, symbol: Symbol, **values: Any) -> None:
        """Set limits that are not set yet."""
        twice = self.limits.named() & values.keys()
        if twice:
            raise NotUnderstood(f'"{symbol.said}" says a second time what was said before')
        self.fronted = self.fronted or not (self.texts or self.verb)
        self.limits = replace(self.limits, **values)


class Parser:
    """Reads the symbols of a sentence from left to right."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._symbols = symbols
        self._at = 0
        self._rules: dict[Mark, Callable[[Draft, Symbol], None]] = {
            Mark.QUOTE: self._quote,
            Mark.VERB: self._verb,
            Mark.NOT: self._not,
            Mark.NEITHER: self._neither,
            Mark.WITHIN: self._within,
            Mark.AFTER: self._after,
            Mark.BEFORE: self._before,
            Mark.UNTIL: self._until,
            Mark.FOR: self._for,
            Mark.AT: self._at_time,
            Mark.FROM: self._from,
            Mark.TO: self._to,
            Mark.MOMENT: self._moment,
            Mark.COMPARE: self._compare,
            Mark.NUMBER: self._number,
            Mark.DURATION: self._duration,
            Mark.TIMES: self._times,
            Mark.ALWAYS: self._always,
            Mark.PLACE: self._place,
        }

    def drafts(self) -> tuple[list[Draft], Join]:
        """The clauses as they stand, and how they are joined."""
        drafts: list[Draft] = []
        joins: set[Join] = set()
        while True:
            separators = self._separators()
            if self._peek() is None:
                break
            draft = self._one_clause()
            draft.follows = Mark.THEN in separators and bool(drafts)
            if not draft.texts and draft.verb is None and drafts and Mark.OR not in separators:
                self._merge(drafts[-1], draft)
                continue
            if drafts:
                joins |= {_JOINS[mark] for mark in separators if mark in {Mark.AND, Mark.OR}}
            drafts.append(draft)
        if len(joins) > 1:
            raise NotUnderstood(_AND_AND_OR)
        return drafts, joins.pop() if joins else Join.AND

    def _merge(self, previous: Draft, extra: Draft) -> None:
        if extra.negated or extra.placed or extra.follows:
            raise NotUnderstood("it does not say which text is meant")
        previous.limit(self._symbols[-1], **{name: getattr(extra.limits, name) for name in extra.limits.named()})

    def _separators(self) -> set[Mark]:
        found: set[Mark] = set()
        while (symbol := self._peek()) is not None and symbol.mark in _SEPARATORS:
            found.add(symbol.mark)
            self._at += 1
        return found

    def _one_clause(self) -> Draft:
        draft = Draft()
        while (symbol := self._peek()) is not None:
            if symbol.mark is Mark.COMMA and not (draft.texts or draft.verb):
                self._at += 1
                continue
            if symbol.mark in _SEPARATORS:
                break
            rule = self._rules.get(symbol.mark)
            if rule is None:
                raise _misplaced(symbol)
            self._at += 1
            rule(draft, symbol)
        return draft

    def _peek(self, ahead: int = 0) -> Symbol | None:
        index = self._at + ahead
        return self._symbols[index] if index < len(self._symbols) else None

    def _next_is(self, *marks: Mark) -> bool:
        """Whether the next symbols are of these marks, in this order."""
        return all(
            (symbol := self._peek(ahead)) is not None and symbol.mark is mark for ahead, mark in enumerate(marks)
        )

    def _take(self) -> Symbol:
        self._at += 1
        return self._symbols[self._at - 1]

    # -- texts and verbs

    def _quote(self, draft: Draft, symbol: Symbol) -> None:
        if draft.texts and not (draft.verb is Verb.CHANGES and len(draft.texts) == 1):
            raise NotUnderstood(f'"{draft.texts[-1]}" and "{symbol.value}" stand side by side without a word between')
        draft.texts.append(symbol.value)
        joins: set[Join] = set()
        while (joiner := self._group_goes_on()) is not None:
            joins |= {_JOINS[mark.mark] for mark in joiner if mark.mark is not Mark.COMMA}
            self._at += len(joiner)
            draft.texts.append(self._take().value)
        if len(joins) > 1:
            raise NotUnderstood(_AND_AND_OR)
        draft.join = joins.pop() if joins else Join.AND

    def _group_goes_on(self) -> list[Symbol] | None:
        joiner: list[Symbol] = []
        while (symbol := self._peek(len(joiner))) is not None and symbol.mark in _JOINS:
            joiner.append(symbol)
        following = self._peek(len(joiner))
        return joiner if joiner and following is not None and following.mark is Mark.QUOTE else None

    def _verb(self, draft: Draft, symbol: Symbol) -> None:
        verb = symbol.value
        if verb == HIDDEN:
            if draft.negated or draft.verb is not None:
                raise NotUnderstood(f'"{symbol.said}" is a second negation')
            draft.verb, draft.negated = Verb.VISIBLE, True
        elif draft.verb is None or (draft.verb is Verb.SEES and len(draft.texts) <= 1):
            draft.verb = verb
        elif not (verb.is_showing and (draft.verb.is_showing or draft.verb is Verb.STAYS)):
            raise NotUnderstood(f'"{symbol.said}" is a second verb for the same text')

    def _not(self, draft: Draft, symbol: Symbol) -> None:
        following = self._peek()
        if draft.negated or draft.is_complete or following is None or following.mark not in {Mark.VERB, Mark.QUOTE}:
            raise NotUnderstood(f'it is not clear what "{symbol.said}" denies')
        draft.negated = True
        draft.none_of = symbol.said == "no"

    def _neither(self, draft: Draft, symbol: Symbol) -> None:
        if draft.negated or draft.texts or not self._next_is(Mark.QUOTE, Mark.NOR, Mark.QUOTE):
            raise NotUnderstood(f'it is not clear what "{symbol.said}" denies')
        draft.negated = draft.none_of = True

    def _place(self, draft: Draft, symbol: Symbol) -> None:
        if self._next_is(Mark.QUOTE) and not draft.texts and draft.verb is None:
            raise NotUnderstood(f'"{symbol.said}" may speak of the quoted text or of where it is')
        draft.placed = True

    def _from(self, draft: Draft, symbol: Symbol) -> None:
        following = self._peek()
        if following is not None and following.mark is Mark.EDGE and following.value is Moment.START:
            self._at += 1
            draft.limit(symbol, at=Moment.START)
        elif draft.verb is Verb.CHANGES and not draft.texts and self._next_is(Mark.QUOTE, Mark.TO, Mark.QUOTE):
            draft.texts.append(self._take().value)
        else:
            raise _misplaced(symbol)

    def _to(self, draft: Draft, symbol: Symbol) -> None:
        if draft.verb is not Verb.CHANGES or not draft.texts or not self._next_is(Mark.QUOTE):
            raise _misplaced(symbol)
        draft.texts.append(self._take().value)

    # -- limits

    def _within(self, draft: Draft, symbol: Symbol) -> None:
        if self._next_is(Mark.COMPARE) and self._symbols[self._at].value in {Compare.AT_MOST, Compare.LESS}:
            self._at += 1
        if not self._next_is(Mark.DURATION):
            raise _misplaced(symbol)
        draft.limit(symbol, within_ms=self._take().value)
        self._of(draft)

    def _of(self, draft: Draft) -> None:
        """What a "within N s" is counted from, when "of", "from" or "after" says so."""
        following = self._peek(1)
        if following is None or not any(self._next_is(mark) for mark in (Mark.OF, Mark.FROM, Mark.AFTER)):
            return
        symbol = self._take()
        if following.mark is Mark.EDGE and following.value is Moment.START:
            self._at += 1
            draft.limit(symbol, within_of=Moment.START)
        elif following.mark is Mark.VERB and following.value.is_showing and not self._next_is(Mark.VERB, Mark.QUOTE):
            self._at += 1
            draft.limit(symbol, within_of=Moment.ITSELF)
        else:
            draft.limit(symbol, after=self._happening(symbol))

    def _after(self, draft: Draft, symbol: Symbol) -> None:
        draft.limit(symbol, after=self._anchor(symbol))

    def _before(self, draft: Draft, symbol: Symbol) -> None:
        draft.limit(symbol, before=self._anchor(symbol))

    def _anchor(self, symbol: Symbol) -> Anchor:
        return self._take().value if self._next_is(Mark.DURATION) else self._happening(symbol)

    def _happening(self, symbol: Symbol) -> Happening:
        verb = None
        if self._next_is(Mark.VERB, Mark.QUOTE):
            verb = self._take().value
        if not self._next_is(Mark.QUOTE):
            raise NotUnderstood(f'"{symbol.said}" is not followed by a quoted text')
        text = self._take().value
        joiner = self._group_goes_on()
        if joiner and any(mark.mark is not Mark.COMMA for mark in joiner):
            raise NotUnderstood(
                f'which texts "{symbol.said}" speaks of can be read in two ways; write two expectations'
            )
        if verb is None and self._next_is(Mark.VERB):
            verb = self._take().value
        if verb is not None and not (isinstance(verb, Verb) and (verb.is_showing or verb.is_going)):
            raise NotUnderstood(f'"{symbol.said}" can be followed only by a text that appears or disappears')
        return Happening(text, gone=verb is not None and verb.is_going)

    def _until(self, draft: Draft, symbol: Symbol) -> None:
        following = self._peek()
        if draft.verb is not None and not (draft.verb.is_showing or draft.verb is Verb.STAYS):
            raise _misplaced(symbol)
        draft.verb = Verb.STAYS
        if following is not None and following.mark is Mark.EDGE and following.value is Moment.END:
            self._at += 1
        else:
            draft.limit(symbol, until=self._happening(symbol))

    def _for(self, draft: Draft, symbol: Symbol) -> None:
        compare = self._take().value if self._next_is(Mark.COMPARE) else Compare.AT_LEAST
        if not self._next_is(Mark.DURATION):
            raise _misplaced(symbol)
        draft.limit(symbol, lasting=(compare, self._take().value))

    def _at_time(self, draft: Draft, symbol: Symbol) -> None:
        if not self._next_is(Mark.DURATION):
            raise _misplaced(symbol)
        draft.limit(symbol, at=self._take().value)

    def _moment(self, draft: Draft, symbol: Symbol) -> None:
        draft.limit(symbol, at=symbol.value)

    def _always(self, draft: Draft, symbol: Symbol) -> None:
        draft.limit(symbol, always=True)

    def _compare(self, draft: Draft, symbol: Symbol) -> None:
        following = self._peek()
        if following is None:
            raise _misplaced(symbol)
        is_count = self._next_is(Mark.NUMBER, Mark.TIMES) or (
            following.mark is Mark.TIMES and following.value is not None
        )
        if is_count:
            self._at += 2 if following.mark is Mark.NUMBER else 1
            draft.limit(symbol, count=(symbol.value, following.value))
        elif following.mark is Mark.DURATION and draft.verb is Verb.STAYS:
            draft.limit(symbol, lasting=(symbol.value, self._take().value))
        elif following.mark is Mark.DURATION and self._bounds_from_above(symbol):
            draft.limit(symbol, within_ms=self._take().value)
            self._of(draft)
        else:
            raise _misplaced(symbol)

    def _bounds_from_above(self, symbol: Symbol) -> bool:
        """Whether "at most N s" and its like mean "within N s": only counted from something, or "no later than"."""
        is_counted = self._next_is(Mark.DURATION, Mark.AFTER) or self._next_is(Mark.DURATION, Mark.OF)
        return symbol.value in {Compare.AT_MOST, Compare.LESS} and (is_counted or "later" in symbol.said)

    def _number(self, draft: Draft, symbol: Symbol) -> None:
        if not self._next_is(Mark.TIMES) or self._take().value is not None:
            raise _misplaced(symbol)
        draft.limit(symbol, count=(Compare.EXACTLY, symbol.value))

    def _times(self, draft: Draft, symbol: Symbol) -> None:
        if symbol.value is None:
            raise _misplaced(symbol)
        if symbol.said == "once" and self._next_is(Mark.QUOTE):
            draft.limit(symbol, after=self._happening(symbol))
        else:
            draft.limit(symbol, count=(Compare.EXACTLY, symbol.value))

    def _duration(self, draft: Draft, symbol: Symbol) -> None:
        if draft.verb is not Verb.STAYS:
            raise NotUnderstood(f'"{symbol.said}" needs a word such as within, for, after, before or at')
        draft.limit(symbol, lasting=(Compare.AT_LEAST, symbol.value))


def _misplaced(symbol: Symbol) -> NotUnderstood:
    return NotUnderstood(f'there is no rule for "{symbol.said}" where it stands')
