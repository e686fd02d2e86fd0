"""What a request says otherwise than the recorded one: its slots' values as they seem to be, and the words that differ.

Both are shown to the caller, who decides. Nothing of them is taken without a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from core.reload.entry import Slot, SlotKind
from core.reload.requests import Token, has_shape, relative_day, spoken, tokens
from core.reload.templates import Place, Template

_MOST_WORDS: Final = 12
"""Tokens of a proposed value."""
_MOST_READ: Final = 200
"""Tokens of a request that are looked at: a proposal is of what one says, not of what one pastes."""
_MOST_REPORTED: Final = 8
_PUNCTUATION: Final = frozenset(',".;:')
_ENOUGH: Final = 3.0
"""The score from which on a span is proposed: its shape and one neighbour, or both neighbours."""


class Compared(NamedTuple):
    """A request beside a recorded phrasing."""

    proposed: Mapping[str, str]
    """By slot: what the request seems to say for it. Slots of which it says nothing are left out."""
    differs: tuple[str, ...]
    """What it says otherwise, in a sentence each; empty when nothing does."""


class _Seat(NamedTuple):
    """A place in a phrasing, with the words beside it."""

    slot: str
    value: str
    before: tuple[str, ...]
    after: str
    quoted: bool


class _Request(NamedTuple):
    """A request, read once for all slots."""

    text: str
    tokens: Sequence[Token]
    lower: Sequence[str]
    fixed: frozenset[str]
    """The words of the recorded phrasing that are no value."""
    kinds: Sequence[str]
    """Of its tokens that are not fixed."""

    @classmethod
    def read(cls, recorded: Template, text: str) -> _Request:
        said = tokens(text)[:_MOST_READ]
        texts = [part for part in recorded.parts if isinstance(part, str)]
        fixed = frozenset(each.text.casefold() for part in texts for each in tokens(part))
        kinds = [_kind(each.text) for each in said if each.text.casefold() not in fixed]
        return cls(text, said, [each.text.casefold() for each in said], fixed, kinds)

    def span(self, start: int, end: int) -> str:
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]


class _Span(NamedTuple):
    """Tokens ``start`` to ``end`` of a request, as a candidate for a slot."""

    score: float
    slot: str
    start: int
    end: int
    text: str


def compare(recorded: Template, slots: Sequence[Slot], asked: str) -> Compared:
    """Find what a request seems to say for each slot, and what else it says otherwise.

    Args:
        recorded: the phrasing that is nearest to the request.
        slots: of its entry.
        asked: the request.

    """
    values = {slot.name: slot.value for slot in slots if slot.kind is SlotKind.VALUE and slot.value}
    text = spoken(asked)
    said = [each.text for each in tokens(text)][:_MOST_READ]
    chosen = _chosen(list(_candidates(recorded, values, text)))
    left: list[str] = []
    starts = {span.start: span for span in chosen}
    at = 0
    while at < len(said):
        span = starts.get(at)
        left.append(_mark(span.slot) if span is not None else said[at])
        at = span.end if span is not None else at + 1
    return Compared({span.slot: span.text for span in chosen}, _differences(recorded, values, left))


def _differences(recorded: Template, values: Mapping[str, str], said: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for part in recorded.parts:
        kept += [_mark(part.slot)] if isinstance(part, Place) else [each.text for each in tokens(part)]
    kept = [each for each in kept if each not in _PUNCTUATION]
    said = [each for each in said if each not in _PUNCTUATION]
    found: list[str] = []
    if day := relative_day(recorded.filled({})):
        found.append(f'"{day}" was another day when it was recorded')
    matcher = SequenceMatcher(
        None, [each.casefold() for each in kept], [each.casefold() for each in said], autojunk=False
    )
    for kind, one, two, three, four in matcher.get_opcodes():
        was = " ".join(values.get(each[1:-1], each) if each[:1] == "{" else each for each in kept[one:two])
        asks = " ".join(each for each in said[three:four] if each[:1] != "{")
        if kind == "equal" or not (was or asks):
            continue
        if was and asks:
            found.append(f'asked for "{asks}", recorded: "{was}"')
        else:
            found.append(f'asked for "{asks}" as well' if asks else f'recorded: "{was}", which is not asked for')
    return tuple(found[:_MOST_REPORTED])


def _mark(slot: str) -> str:
    return f"{{{slot}}}"


def _candidates(recorded: Template, values: Mapping[str, str], asked: str) -> Iterator[_Span]:
    request = _Request.read(recorded, asked)
    for seat in _seats(recorded, values):
        lone = _kind(seat.value) not in {"words", "names"} and request.kinds.count(_kind(seat.value)) == 1
        length = len(tokens(seat.value))
        longest = _MOST_WORDS if seat.quoted else max(3, 3 * length) if _is_free(seat) else length + 1
        for start in range(len(request.tokens)):
            for end in range(start + 1, min(len(request.tokens), start + longest) + 1):
                text = request.span(start, end)
                score = _score(seat, request, start, end) + 2.0 * (lone and _kind(text) == _kind(seat.value))
                if score >= _ENOUGH:
                    yield _Span(score, seat.slot, start, end, text)


def _seats(recorded: Template, values: Mapping[str, str]) -> Iterator[_Seat]:
    parts = recorded.parts
    placed: set[str] = set()
    for at, part in enumerate(parts):
        if not isinstance(part, Place) or part.slot not in values or part.slot in placed:
            continue
        placed.add(part.slot)
        before = parts[at - 1] if at else ""
        after = parts[at + 1] if at + 1 < len(parts) else ""
        left = [each.text.casefold() for each in tokens(before)] if isinstance(before, str) else []
        right = [each.text.casefold() for each in tokens(after)] if isinstance(after, str) else []
        quoted = left[-1:] == ['"'] and right[:1] == ['"']
        yield _Seat(part.slot, values[part.slot], tuple(left[-2:]), right[0] if right else "", quoted)
    for name, value in values.items():
        if name not in placed:
            yield _Seat(name, value, (), "", quoted=False)


def _is_free(seat: _Seat) -> bool:
    """Whether any text may stand there: it stood in quotation marks, or is more than one plain word."""
    return seat.quoted or " " in seat.value or not has_shape(seat.value, seat.value)


def _score(seat: _Seat, request: _Request, start: int, end: int) -> float:
    """How well a span fits a place: by its shape, its neighbours, and the name of the slot beside it."""
    text, inside = request.span(start, end), request.lower[start:end]
    if inside[0] in _PUNCTUATION or inside[-1] in _PUNCTUATION:
        return 0.0
    score = 0.0
    if text == seat.value:
        score += 4.0
    elif has_shape(seat.value, text):
        score += 2.0
    elif _kind(text) == _kind(seat.value):
        score += 1.0
    elif not _is_free(seat):
        return 0.0
    before, after = request.lower[max(start - 2, 0) : start], "".join(request.lower[end : end + 1])
    if seat.before and before[-1:] == [seat.before[-1]]:
        score += 2.0
        score += 0.5 * (before == list(seat.before))
    if after == seat.after:
        score += 1.5 if after else 1.0
    if set(_name_words(seat.slot)) & set(before):
        score += 2.5
    if before[-1:] == ['"'] and after == '"':
        score += 2.0 if _is_free(seat) else 0.5
    score -= 1.5 * sum(word in request.fixed for word in inside) * (text != seat.value)
    return score + 0.01 * len(inside)


def _name_words(slot: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}", slot)]


def _kind(text: str) -> str:
    """A coarse kind: numbers, names, addresses and single words are not proposed for one another."""
    if re.fullmatch(r"[+-]?[\d.,]+", text):
        return "number"
    if "@" in text:
        return "address"
    if "/" in text or re.search(r"\w\.\w{1,5}$", text):
        return "path"
    if any(letter.isdigit() for letter in text):
        return "code"
    return "names" if all(word[:1].isupper() for word in text.split()) else "words"


def _chosen(candidates: list[_Span]) -> list[_Span]:
    """The best spans that do not overlap, one for each slot."""
    taken: list[_Span] = []
    for span in sorted(candidates, reverse=True):
        if all(span.slot != other.slot and (span.end <= other.start or other.end <= span.start) for other in taken):
            taken.append(span)
    return sorted(taken, key=lambda span: span.start)
