"""How a request is built: clauses of phrases, the same for all wordings of the same."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from core.reload.matching.courtesies import LEADING, TRAILING
from core.reload.matching.quantities import MONTHS, UNITS
from core.reload.matching.rewording import Sequences, phrased, stands
from core.reload.matching.vocabulary import (
    ARTICLES,
    COORDINATORS,
    LINKS,
    NAMING,
    PERSONAL,
    PREPOSITIONS,
    PRESENT,
    VERB_CLASSES,
    VERBS,
)
from core.reload.matching.words import Token, plain, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.matching.rewording import Phrase
    from core.reload.templates import Template

_DICTATING: Final = NAMING | frozenset({"type", "saying", "says", "say"})
_WRITING: Final = frozenset({"enter", "input", "write", "post", "comment"})
"""The same, unless something is named that is written: "enter an expense"."""
"""What follows these is written down: a last "again" may be a part of it."""
_PLEASE: Final = frozenset({"please", "pls", "bitte", "kindly"})
_YEAR: Final = 4
_DAYS: Final = 31
_KEPT: Final = 1024


class Clause(NamedTuple):
    """One thing that is to be done."""

    joined: str
    """How it follows the one before it: ``then``, ``or`` …; empty for the first."""
    phrases: tuple[Phrase, ...]


_LEADING: Final = Sequences(LEADING)
_COURTESIES: Final = LEADING | TRAILING
_LAST: Final[dict[str, list[tuple[str, ...]]]] = {}
for _sequence in sorted(TRAILING, key=len, reverse=True):
    _LAST.setdefault(_sequence[-1], []).append(_sequence)


@lru_cache(maxsize=_KEPT)
def clauses_of(text: str, atoms: tuple[str, ...] = ()) -> tuple[Clause, ...]:
    """The clauses of a request; each of ``atoms`` counts as one word wherever it stands whole."""
    return _clauses(_with_atoms(text, tokens(text), atoms))


def clauses_of_template(template: Template, values: Mapping[str, str]) -> tuple[Clause, ...]:
    """The clauses of a recorded wording, with its places as words; ``values`` are those that were recorded."""
    return _recorded_clauses(
        tuple(
            ("", part) if isinstance(part, str) else (part.slot, values.get(part.slot, f"{{{part.slot}}}"))
            for part in template.parts
        )
    )


@lru_cache(maxsize=_KEPT)
def _recorded_clauses(parts: tuple[tuple[str, str], ...]) -> tuple[Clause, ...]:
    """Of texts, each with the name of its slot, if it is a value."""
    text, places = "", list[tuple[int, int, str]]()
    for slot, part in parts:
        if slot:
            places.append((len(text), len(text) + len(part), slot))
        text += part
    return _clauses(_with_places(text, tokens(text), places))


def _with_places(text: str, words: list[Token], places: list[tuple[int, int, str]]) -> list[Token]:
    """With a word for each place, and whatever is written together with it around it."""
    found: list[Token] = []
    left = list(places)
    for word in words:
        while left and left[0][1] <= word.start:
            del left[0]
        if not left or left[0][0] >= word.end:
            found.append(word)
            continue
        inside = [place for place in left[:2] if place[0] < word.end and word.start < place[1]]
        if not inside:
            found.append(word)
            continue
        start, end, slot = inside[0]
        if found and found[-1].kind == "place" and found[-1].start == start and len(inside) == 1:
            before = found[-1]
            role = word.role if word.end == end else before.role
            found[-1] = before._replace(around=(before.around[0], text[end : max(end, word.end)]), role=role)
        elif len(inside) > 1:
            found.append(word._replace(kind="text", literal=True, canon=word.raw))
        else:
            around = (text[min(word.start, start) : start], text[end : max(end, word.end)])
            raw = text[start:end]
            value = values_of(raw)
            says = value[0].kind if len(value) == 1 else ""
            found.append(
                Token(raw, raw, plain(raw), "place", start, end, role=word.role, slot=slot, around=around, says=says)
            )
    return found


def _with_atoms(text: str, words: list[Token], atoms: tuple[str, ...]) -> list[Token]:
    for atom in atoms:
        value = values_of(atom)
        says = value[0].kind if len(value) == 1 else ""
        at = text.find(atom)
        while at >= 0:
            end = at + len(atom)
            inside = [word for word in words if at < word.end and word.start < end]
            if len(inside) > 1 and inside[0].start >= at and inside[-1].end <= end:
                first = words.index(inside[0])
                one = Token(atom, atom, plain(atom), "text", at, end, literal=True, role=inside[-1].role, says=says)
                words[first : first + len(inside)] = [one]
            at = text.find(atom, end)
    return words


def _clauses(words: list[Token]) -> tuple[Clause, ...]:
    while words and words[-1].kind == "stop":
        words.pop()
    parts = _split(_flagged(_with_dates(words)))
    if len(parts) > 1:
        parts = [(joined, part) for joined, part in parts if part and not _is_courtesy(part)] or parts
    parts = _fronted(parts)
    found = [
        Clause(joined if at else "", tuple(phrased(left)))
        for at, (joined, part) in enumerate(parts)
        if (left := _without_courtesy(part))
    ]
    return tuple(found)


def _is_courtesy(words: list[Token]) -> bool:
    return tuple(word.plain for word in words) in _COURTESIES and not any(word.literal for word in words)


def _with_dates(words: list[Token]) -> list[Token]:
    """Days of a month made one word: ``March 5th, 2026``, ``5 March``."""
    found: list[Token] = []
    at = 0
    while at < len(words):
        date, end = _date_at(words, at)
        found.append(date or words[at])
        at = end if date else at + 1
    return found


def _date_at(words: list[Token], at: int) -> tuple[Token | None, int]:
    first = words[at]
    if _is_day(first):
        month = at + 2 if at + 1 < len(words) and words[at + 1].plain == "of" else at + 1
        if month >= len(words) or not _is_month(words[month]):
            return None, at
        day, name, end = first, words[month], month + 1
    elif _is_month(first) and at + 1 < len(words) and _is_day(words[at + 1]):
        day, name, end = words[at + 1], first, at + 2
    else:
        return None, at
    year = ""
    for ahead in (end, end + 1):
        if ahead < len(words) and words[ahead].kind == "number" and len(words[ahead].canon) == _YEAR:
            year, end = words[ahead].canon, ahead + 1
            break
        if ahead < len(words) and words[ahead].canon != ",":
            break
    canon = f"{year}-{MONTHS[name.plain]:02d}-{int(day.canon):02d}"
    last = words[end - 1]
    raw = " ".join(word.raw for word in words[at:end])
    return Token(raw, canon, canon, "date", first.start, last.end, role=last.role), end


def _is_month(word: Token) -> bool:
    return word.kind in {"month", "word"} and not word.literal and word.plain in MONTHS


def _is_day(word: Token) -> bool:
    short = word.canon.isascii() and word.canon.isdigit() and len(word.canon) < _YEAR
    return word.kind in {"number", "ordinal"} and short and 1 <= int(word.canon) <= _DAYS


def _flagged(words: list[Token]) -> list[Token]:
    """Without commas and articles: the word behind them knows of them."""
    found: list[Token] = []
    breaks, article, introduced = False, "", False
    for at, word in enumerate(words):
        if word.kind == "comma":
            breaks, introduced = True, word.plain == ":"
        elif word.kind == "word" and not word.literal and not word.role and _determines(word, words[at + 1 : at + 3]):
            article = word.plain
        else:
            if word.kind == "word" and found and found[-1].about == "number" and word.plain in UNITS:
                word = word._replace(kind="unit", canon=UNITS[word.plain])  # noqa: PLW2901 - the same word
            elif article == "the" and word.canon == "new":
                word = word._replace(canon="the new")  # noqa: PLW2901 - the same word
            flags = breaks or article
            found.append(word._replace(breaks=breaks, determined=article, introduced=introduced) if flags else word)
            breaks, article, introduced = False, "", False
            if word.kind == "number" and len(found) > 1 and found[-2].kind == "unit" and found[-2].end == word.start:
                found[-2:] = [word._replace(breaks=found[-2].breaks), found[-2]._replace(breaks=False)]
    return found


def _determines(word: Token, following: Sequence[Token]) -> bool:
    """Whether it is an article, or a pronoun that tells no more than one."""
    if not following or following[0].kind in {"comma", "stop"}:
        return False
    if word.plain == "my":
        return any(each.canon in PERSONAL for each in following)
    return word.plain in ARTICLES or (word.plain == "this" and following[0].canon in PRESENT)


def _is_verb(word: Token) -> bool:
    return (
        word.kind == "word"
        and not word.literal
        and not word.role
        and (word.plain in VERBS or word.plain in VERB_CLASSES)
    )


def _split(words: list[Token]) -> list[tuple[str, list[Token]]]:
    """The clauses, each with how it is joined to the one before."""
    found: list[tuple[str, list[Token]]] = [("", [])]
    at = 0
    while at < len(words):
        word = words[at]
        joined = ""
        behind = at
        if word.kind == "stop":
            joined, behind = "then", at + 1
        elif word.kind == "word" and not word.literal and word.plain in COORDINATORS:
            behind = at + 1
            while behind < len(words) and words[behind].plain in {"then", "please", "just", "also", "finally"}:
                behind += 1
            verb = behind < len(words) and _is_verb(words[behind])
            joined = ("then" if word.plain == "and" else word.plain) if verb else ""
        elif word.breaks and found[-1][1] and _is_verb(word):
            joined = "then"
        if joined:
            found.append((joined, [word] if behind == at else []))
            at = max(behind, at + 1)
        else:
            found[-1][1].append(word)
            at += 1
    return found


def _without_courtesy(words: list[Token]) -> list[Token]:
    start, end = 0, len(words)
    gerund = False
    while start < end and (polite := _LEADING.at(words, start)) and start + len(polite) < end:
        start += len(polite)
        gerund = polite[-1] == "mind"
    dictated = _is_dictated(words[start:end])
    while end > start:
        last = words[end - 1].plain
        polite = next((each for each in _LAST.get(last, ()) if _ends(words[start:end], each)), ())
        if not polite or len(polite) >= end - start or (dictated and not _is_apart(words, end - len(polite), polite)):
            break
        end -= len(polite)
    left = [word for at, word in enumerate(words[start:end], start) if dictated or not _is_aside(words, at, end)]
    if gerund and (verb := _of_gerund(left[0].plain)):
        left[0] = left[0]._replace(plain=verb, canon=VERB_CLASSES.get(verb, verb))
    return left


def _is_aside(words: Sequence[Token], at: int, end: int) -> bool:
    """Whether it is a "please" between what belongs together, not within a value."""
    word = words[at]
    if word.plain not in _PLEASE or word.kind != "word" or word.literal or at + 1 >= end:
        return False
    return words[at + 1].canon in PREPOSITIONS or bool(words[at + 1].determined)


def _is_dictated(words: Sequence[Token]) -> bool:
    """Whether it may end with what is written down letter by letter."""
    for at, word in enumerate(words):
        if word.literal:
            continue
        if word.introduced or word.plain in _DICTATING:
            return True
        something = at + 1 < len(words) and words[at + 1].determined
        if word.plain in _WRITING and not something:
            return True
    return False


def _is_apart(words: Sequence[Token], at: int, polite: Sequence[str]) -> bool:
    """Whether a courtesy at that place is none of what is written down before it."""
    before = words[at - 1]
    small = all(word.raw.islower() for word in words[at : at + len(polite)])
    return words[at].breaks or before.literal or before.kind != "word" or (small and _is_name(words, at - 1))


def _is_name(words: Sequence[Token], at: int) -> bool:
    """Whether it ends a name: each word from "called" on is capitalised."""
    start = next((back for back in range(at, -1, -1) if words[back].plain in NAMING), -1)
    return 0 <= start < at and all(word.raw[:1].isupper() for word in words[start + 1 : at + 1])


def _ends(words: Sequence[Token], sequence: tuple[str, ...]) -> bool:
    return len(sequence) <= len(words) and stands(words, len(words) - len(sequence), sequence)


def _of_gerund(word: str) -> str:
    """The verb of "opening", "deleting", "putting"; empty when it is none that is known."""
    if not word.endswith("ing"):
        return ""
    stem = word.removesuffix("ing")
    return next((verb for verb in (stem, f"{stem}e", stem[:-1]) if VERB_CLASSES.get(verb, verb) in VERBS), "")


def _fronted(parts: list[tuple[str, list[Token]]]) -> list[tuple[str, list[Token]]]:
    """As "in the settings, enable it" is "enable it in the settings"."""
    if len(parts) > 1 and parts[1][0] == "then" and (front := parts[0][1]) and parts[1][1]:
        first = front[0]
        if first.kind == "word" and not first.literal and LINKS.get(first.plain, first.canon) in PREPOSITIONS:
            return [("", [*parts[1][1], *front]), *parts[2:]]
    return parts


@lru_cache(maxsize=_KEPT)
def values_of(text: str) -> tuple[Token, ...]:
    """The words of a value, nothing left out but commas' own places."""
    words = tokens(text)
    return tuple(_flagged(_with_dates(words)))
