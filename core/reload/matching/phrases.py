"""Which words of a request stand for which of a recorded one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from core.reload.matching.clauses import values_of
from core.reload.matching.replacements import Where, is_free, timely
from core.reload.matching.vocabulary import PLAIN, PREPOSITIONS, VIEWING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.reload.matching.clauses import Clause
    from core.reload.matching.rewording import Phrase
    from core.reload.matching.words import Token

_PASSING: Final = frozenset({"today", "tomorrow", "yesterday", "tonight"})
_NEAR: Final = frozenset({"next", "last", "this", "previous", "coming"})
_PERIODS: Final = frozenset({"week", "month", "year", "quarter", "weekend"})
_INNER: Final = frozenset({"to", "from", "of", "for", "at", "near", "in", "about", "between", "by"})
"""What joins the words of a longer text that is a value."""
_ROLES: Final = ({"'s", "of"}, {"", "of"}, {"", "for"}, {"", "'s"}, {"'s", "from"})
"""Ways to say the same of how a word belongs to a noun."""
_MOST_PLACES: Final = 50
"""Of one phrase: with more the ways are too many to try."""
_LONGEST: Final = 24
"""Words of a value."""


class Refused(Exception):
    """It is not the same; ``reason`` says why, in a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Within(NamedTuple):
    """Of what a place is a part."""

    verb: str
    text: str
    """What was asked."""
    listed: bool
    """Whether it is all that is added to something."""
    last: bool
    """Whether its phrase is the last one."""


class Binding(NamedTuple):
    """What stands at a place."""

    slot: str
    raw: str
    words: tuple[Token, ...]
    where: Where


def bound(recorded: Sequence[Clause], asked: Sequence[Clause], text: str) -> list[Binding]:
    """What stands at each place of a recorded wording.

    Args:
        recorded: with places.
        asked: without.
        text: what was asked, as it stands.

    Raises:
        Refused: when anything else differs, or it is not sure what stands there.

    """
    if [clause.joined for clause in recorded] != [clause.joined for clause in asked]:
        raise Refused(_difference(recorded, asked))
    found: list[Binding] = []
    for one, other in zip(recorded, asked, strict=True):
        pairs = _paired(one.phrases, _absorbed(one.phrases, other.phrases))
        if pairs is None:
            raise Refused(_difference(recorded, asked))
        verb = one.phrases[0].words[0].canon if one.phrases[0].words else ""
        for left, right in pairs:
            spans = _spans(left.words, right.words)
            if spans is None:
                raise Refused(_difference(recorded, asked))
            listed = verb == "add" and not left.head and [each.head for each in one.phrases] == ["", "to"]
            last = one is recorded[-1] and left is one.phrases[-1]
            for place, start, end in spans:
                found.append(_binding(left, right, (place, start, end), Within(verb, text, listed, last)))
    return found


def passing_day(recorded: Sequence[Clause]) -> str:
    """A day that is another one each day, and no value, of what is not only looked at; empty without any."""
    for clause in recorded:
        words = [word for phrase in clause.phrases for word in phrase.words]
        if not words or words[0].canon in VIEWING:
            continue
        for at, word in enumerate(words):
            if word.kind == "day" and word.plain in _PASSING:
                return word.raw
            if at and words[at - 1].plain in _NEAR and (word.kind == "weekday" or word.plain in _PERIODS):
                return f"{words[at - 1].raw} {word.raw}"
    return ""


def _paired(one: Sequence[Phrase], other: Sequence[Phrase]) -> list[tuple[Phrase, Phrase]] | None:
    """The phrases that belong together; ``None`` when some have none, or their order tells something."""
    if len(one) != len(other):
        return None
    left, right = [each.head for each in one], [each.head for each in other]
    if left != right:
        if len(set(left)) != len(left) or set(left) != set(right) or left[0] != right[0]:
            return None
        fixed = [each.head for each in one if not each.movable]
        if fixed != [each.head for each in other if not each.movable] and set(fixed) != {"", "from"}:
            return None
        by_head = {each.head: each for each in other}
        return [(each, by_head[each.head]) for each in one]
    return list(zip(one, other, strict=True))


def _absorbed(one: Sequence[Phrase], other: Sequence[Phrase]) -> Sequence[Phrase]:
    """With the phrases of a longer text made one, where such a text was recorded: "flights to Oslo"."""
    more = len(other) - len(one)
    if more <= 0:
        return other
    for phrase in one:
        place = phrase.words[-1] if phrase.words else None
        if place is None or place.kind != "place" or not is_free("", phrase.head if phrase.head != "for" else "search"):
            continue
        heads = [at for at, each in enumerate(other) if each.head == phrase.head]
        if len(heads) != 1 or sum(word.plain in PREPOSITIONS for word in values_of(place.raw)) < more:
            continue
        start, end = heads[0], heads[0] + 1 + more
        joined = other[start:end]
        if len(joined) == more + 1 and all(_is_inner(each) for each in joined[1:]):
            words = tuple(word for each in joined for word in each.words)
            return [*other[:start], joined[0]._replace(words=words), *other[end:]]
    return other


def _is_inner(phrase: Phrase) -> bool:
    """Whether it may be a part of a longer text: it names nothing of a program."""
    usual = any(word.plain in PLAIN or word.determined for word in phrase.words)
    return phrase.head in _INNER and bool(phrase.words) and not usual


def _spans(recorded: Sequence[Token], asked: Sequence[Token]) -> list[tuple[int, int, int]] | None:
    """For each place (its index) which words stand there; ``None`` when the rest differs or there are two ways."""
    places = [at for at, word in enumerate(recorded) if word.kind == "place"]
    if not places:
        same = len(recorded) == len(asked) and all(
            _same(one, other, at) for at, (one, other) in enumerate(zip(recorded, asked, strict=True))
        )
        return [] if same else None
    if len(places) > _MOST_PLACES or not len(recorded) <= len(asked) <= len(recorded) + _LONGEST:
        return None
    if len(places) == 1:
        return _span(recorded, asked, places[0])
    ways = _Ways(recorded, asked)
    return ways.spans() if ways.count(0, 0) == 1 else None


def _span(recorded: Sequence[Token], asked: Sequence[Token], place: int) -> list[tuple[int, int, int]] | None:
    """The same of one place: what stands before it and behind it tells what stands there."""
    end = place + 1 + len(asked) - len(recorded)
    kept = [*range(place), *range(place + 1, len(recorded))]
    now = [*range(place), *range(end, len(asked))]
    same = all(_same(recorded[one], asked[other], one) for one, other in zip(kept, now, strict=True))
    one_role = len({word.role for word in asked[place:end]}) == 1
    glued = end > place + 1 and any(recorded[place].around)
    return [(place, place, end)] if same and one_role and not glued else None


class _Ways:
    """In how many ways words can stand for others."""

    def __init__(self, recorded: Sequence[Token], asked: Sequence[Token]) -> None:
        self._recorded = recorded
        self._asked = asked
        self._known: dict[tuple[int, int], int] = {}

    def count(self, one: int, other: int) -> int:
        """From these indices on; 2 stands for more."""
        stack = [(one, other)]
        while stack:
            here = stack[-1]
            ahead = [(here[0] + 1, end) for end in self._ends(*here)]
            if missing := [each for each in ahead if each not in self._known]:
                stack.extend(missing)
                continue
            stack.pop()
            done = here[0] == len(self._recorded)
            ways = int(here[1] == len(self._asked)) if done else sum(self._known[each] for each in ahead)
            self._known[here] = min(2, ways)
        return self._known[one, other]

    def spans(self) -> list[tuple[int, int, int]]:
        """What stands at each place, the one way there is."""
        found: list[tuple[int, int, int]] = []
        other = 0
        for one, word in enumerate(self._recorded):
            end = next(end for end in self._ends(one, other) if self._known[one + 1, end])
            if word.kind == "place":
                found.append((one, other, end))
            other = end
        return found

    def _ends(self, one: int, other: int) -> Sequence[int]:
        recorded, asked = self._recorded, self._asked
        if one >= len(recorded) or other >= len(asked):
            return ()
        word = recorded[one]
        if word.kind != "place":
            return (other + 1,) if _same(word, asked[other], one) else ()
        most = len(asked) - (len(recorded) - one - 1)
        beside = (near for near in (one - 1, one + 1) if 0 <= near < len(recorded))
        if any(word.around) or any(recorded[at].kind == "place" and recorded[at].role == word.role for at in beside):
            most = min(most, other + 1)
        most = next((at for at in range(other + 1, most) if asked[at].role != asked[other].role), most)
        return range(other + 1, most + 1)


def _same(one: Token, other: Token, at: int) -> bool:
    if at and one.breaks != other.breaks:
        return False
    if "another" in {one.determined, other.determined} and {one.determined, other.determined} & {"", "the", "this"}:
        return False
    if one.role != other.role and {one.role, other.role} not in _ROLES:
        return False
    if one.literal or other.literal:
        return one.canon == other.canon if one.literal and other.literal else one.plain == other.plain
    return one.canon == other.canon and one.kind == other.kind


def _binding(left: Phrase, right: Phrase, span: tuple[int, int, int], within: Within) -> Binding:
    at, start, end = span
    verb, text, listed, last = within
    place, words = left.words[at], right.words[start:end]
    raw = words[0].raw if len(words) == 1 and words[0].kind != "date" else text[words[0].start : words[-1].end]
    if any(place.around):
        before, behind = place.around
        if not (_begins(raw, before) and _begins(raw[::-1], behind[::-1]) and len(raw) > len(before) + len(behind)):
            raise Refused(f'"{before}{place.raw}{behind}" became "{raw}".')
        raw = raw[len(before) : len(raw) - len(behind)]
        words = values_of(raw)
    if any(one.start >= two.start for one, two in pairwise(words)):
        raise Refused(f'"{place.raw}" became something of which it is not sure how it is put together.')
    roles = {word.role for word in words}
    if roles != {place.role}:
        _check_roles(place, words, raw)
    if words[0].determined == "another" and place.determined not in {"a", "an", "another"}:
        raise Refused(f'"{place.raw}" became another {raw}.')
    lonely = not any(
        word.role == place.role for near, word in enumerate(left.words) if near != at and (near or left.head)
    )
    lonely = lonely or place.introduced
    determined = bool(place.determined) or words[0].role != place.role
    free = is_free(verb if left.head in {"", "for"} else "", left.head)
    where = Where(
        lonely, free, determined, left.head, _is_measured(left.words, at), listed, span[2] == len(right.words) and last
    )
    return Binding(place.slot, raw, words, where)


def _is_measured(words: Sequence[Token], at: int) -> bool:
    return any(word.kind == "unit" for word in words[max(0, at - 1) : at + 2])


def _begins(text: str, start: str) -> bool:
    return text[: len(start)].lower() == start.lower()


def _check_roles(place: Token, words: Sequence[Token], raw: str) -> None:
    """Where it is said otherwise how a value belongs to the noun, it has to be the same, or a time."""
    roles = {word.role for word in words} | {place.role}
    if roles in ({"'s", "of"}, {"'s", "from"}):
        return
    known = raw == place.raw and len(roles) == 2 and "" in roles  # noqa: PLR2004 - two ways to say it
    inner = roles - {"'s"} == {place.role} and len(words) > 1
    if not known and not inner and not (timely(place.raw) and timely(raw)):
        raise Refused(f'"{place.raw}" became "{raw}", which belongs there in another way.')


def _difference(recorded: Sequence[Clause], asked: Sequence[Clause]) -> str:
    """What differs, for people."""
    left, right = list(_flat(recorded)), list(_flat(asked))
    known, given = {word.canon for word in left}, {word.canon for word in right}
    gone = [word for word in left if word.canon not in given and word.kind != "place"]
    came = [word for word in right if word.canon not in known]
    if gone and came:
        return f'"{gone[0].raw}" became "{came[0].raw}", and "{gone[0].raw}" is no recorded value.'
    if gone:
        return f'"{gone[0].raw}" is missing.'
    if came:
        return f'"{came[0].raw}" was not said when it was recorded.'
    return "The same words stand in another order."


def _flat(clauses: Sequence[Clause]) -> list[Token]:
    return [word for clause in clauses for phrase in clause.phrases for word in phrase.words]
