"""Whether what stands where a recorded value stood can be another value of the same kind."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from core.reload.matching.clauses import values_of
from core.reload.matching.quantities import MONTHS, TIMELY
from core.reload.matching.vocabulary import ARTICLES, FREE_TEXT, HARD, PLAIN, VERBS
from core.reload.matching.words import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.reload.matching.words import Token

MOST_CHARACTERS: Final = 200
_MOST_WORDS: Final = 8
_MORE_WORDS: Final = 3
_SENTENCE: Final = 3
_ASIDE: Final = frozenset({"maybe", "perhaps", "asap", "instead", "today", "tomorrow", "now", "almost", "half"})
"""Words beside what is said."""
_QUARTERS: Final = dict.fromkeys(("q1", "q2", "q3", "q4"), 0)
_EQUAL: Final = frozenset({"number", "ordinal", "date", "time"})
"""Kinds of which two that mean the same are the same value, however they are written."""


_LOOKALIKES: Final = str.maketrans(
    dict(
        zip(
            "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u03bf\u03b1\u03b9\u03bd\u03c1\u0432\u043d\u043a\u043c\u0442\u04cf",
            "aeopcyxijshdoaivpbhkmtl",
            strict=True,
        )
    )
)
"""Cyrillic and Greek letters to the Latin ones that look like them."""


_NEAR: Final = frozenset({"next", "last", "this", "coming"})
_PERIODS: Final = frozenset({"week", "month", "year", "quarter", "weekend", "time"})


class Where(NamedTuple):
    """Where a place stands, as far as it tells what may stand there."""

    alone: bool
    """Whether nothing else stands in its phrase, so that its borders are sure."""
    free: bool
    """Whether it is searched for, or written: any words may be."""
    determined: bool
    """Whether an article stands before it."""
    head: str
    """The preposition before it."""
    measured: bool
    """Whether a unit stands beside it."""
    listed: bool = False
    """Whether it is put on a list: all that stands between the verb and "to" is its name."""
    last: bool = False
    """Whether nothing stands behind it."""


class Replacement(NamedTuple):
    """A value for a slot, or why it cannot be one; ``value`` is ``None`` for the recorded one."""

    value: str | None
    refusal: str = ""


def is_free(verb: str, head: str) -> bool:
    """Whether any words may follow."""
    return verb in FREE_TEXT or head in FREE_TEXT


def replacement(
    old: str, raw: str, words: Sequence[Token], where: Where, *, known: Collection[str] = ()
) -> Replacement:
    """What a slot gets: as it is written, without quotes.

    Args:
        old: the recorded value.
        raw: what stands there now.
        words: of ``raw``.
        where: it stands.
        known: values that were recorded, whatever words they are.

    """
    if raw == old:
        return Replacement(None)
    recorded = values_of(old)
    if not where.measured and _is_whole(recorded) and not _is_whole(words) and words[0].kind == "number":
        return Replacement(None, f'"{old}" became "{raw}", which is no whole number')
    if len(recorded) == len(words) == 1 and recorded[0].kind == words[0].kind and words[0].kind in _EQUAL:
        if recorded[0].canon == words[0].canon:
            return Replacement(None)
        if words[0].kind == "number" and not raw[0].isdigit() and raw[0] not in "+-" and old[-1].isdigit():
            return Replacement(words[0].canon)
    refusal = (
        _refusal(old, raw, recorded, words, where) if raw not in known else _kind_refusal(old, raw, recorded, words)
    )
    return Replacement(None, refusal) if refusal else Replacement(raw)


def _refusal(old: str, raw: str, recorded: Sequence[Token], words: Sequence[Token], where: Where) -> str:
    refusal = _kind_refusal(old, raw, recorded, words)
    if refusal or all(word.literal for word in words):
        return refusal
    return _unquoted_refusal(old, raw, words, where)


def _kind_refusal(old: str, raw: str, recorded: Sequence[Token], words: Sequence[Token]) -> str:
    quoted = all(word.literal for word in words)
    now = values_of(raw) if quoted else words
    if not raw.strip():
        return f'nothing stands in the place of "{old}"'
    if len(raw) > MOST_CHARACTERS:
        return f'what stands in the place of "{old}" is too long for a value'
    if _pattern(recorded) != _pattern(now) and not (quoted and _is_text(recorded) and _is_text(now)):
        return f'"{old}" became "{raw}", which is of another kind'
    if any(form(old) != form(raw) for form in (_date_form, _clock_form, _sign, _quarter)):
        return f'"{old}" became "{raw}", which is written in another way'
    if not raw.isascii() and ((_scripts(raw) - _scripts(old) and len(_scripts(raw)) > 1) or _looks(raw) == _looks(old)):
        return f'"{old}" became "{raw}", which looks like it and is another'
    return ""


def _unquoted_refusal(old: str, raw: str, words: Sequence[Token], where: Where) -> str:
    before = {word.plain for word in values_of(old)}
    told = f'"{old}" became "{raw}", and "%s" is no part of a value unless it stands in quotes'
    prose = where.last and where.alone and _is_prose(old) and not plain(raw).startswith(plain(old))
    free = where.free or prose or (len(words) > 1 and _is_titled(words) and old[:1].isupper() and where.alone)
    for at, word in enumerate(words):
        new = word.plain not in before
        if at and (word.breaks or (word.determined and not (free and word.determined in ARTICLES))):
            return f'"{old}" became "{raw}", which may be two things'
        if word.role == "'s" and at < len(words) - 1 and words[-1].role != "'s":
            return told % f"{word.raw}'s"
        if new and word.kind == "word" and (word.plain in HARD or word.canon in HARD):
            return told % word.raw
        common = word.plain in PLAIN or (word.raw.islower() and word.plain in VERBS)
        aside = not where.free and len(words) > 1 and _is_aside(word)
        usual = common and word.kind in {"word", "day"} and not (free or _is_day(words, old))
        if new and (aside or usual):
            return told % word.raw
    if words[0].determined and not where.determined and where.alone:
        return told % "the"
    return _length_refusal(old, raw, words, where._replace(free=where.free or (prose and len(words) > 1)))


def _length_refusal(old: str, raw: str, words: Sequence[Token], where: Where) -> str:
    count = len(values_of(old))
    listed = where.listed and words[0].plain not in {word.plain for word in values_of(old)}
    sure = where.free or _is_titled(words) or (where.alone and (where.head == "to" or listed))
    if len(words) == 1 and not where.free and _is_prose(old):
        return f'"{old}" became "{raw}", which is no sentence'
    when = len(words) > 2 and words[-2].plain in _NEAR and words[-1].plain in _PERIODS  # noqa: PLR2004 - and what
    if len(words) > count and (when or not sure):
        return f'"{old}" became "{raw}", of which it is not sure how far it goes'
    if len(words) > max(count + _MORE_WORDS, _MOST_WORDS):
        return f'"{old}" became "{raw}", which is much longer'
    return ""


def _is_prose(text: str) -> bool:
    """Whether it is a sentence in plain words, not the name of something."""
    words = text.split()
    return len(words) >= _SENTENCE and all(word.isalpha() and word.islower() for word in words)


def _is_aside(word: Token) -> bool:
    return word.kind == "day" or word.plain in _ASIDE or (word.raw.islower() and word.plain.endswith("ly"))


def _is_titled(words: Sequence[Token]) -> bool:
    return all(word.raw[0].isupper() or not word.raw[0].isalpha() for word in words)


def _is_day(words: Sequence[Token], old: str) -> bool:
    return len(words) == 1 and words[0].kind == "day" and [word.kind for word in values_of(old)] == ["day"]


def timely(value: str) -> bool:
    """Whether it says when or how many: "the report for march" is "the march report"."""
    return all(word.kind in TIMELY or word.plain in MONTHS | _QUARTERS for word in values_of(value))


def _is_text(words: Sequence[Token]) -> bool:
    return any(word.kind in {"word", "month", "weekday", "day"} for word in words)


@lru_cache(maxsize=1024)
def _pattern_of(kinds: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for kind, detail in kinds:
        if found and found[-1][0] in {kind, f"{kind}s"} and kind in {"word", "number"}:
            found[-1] = ("word" if kind == "word" else "numbers", "")
            continue
        found.append((kind, detail))
    return tuple(found)


def _pattern(words: Sequence[Token]) -> tuple[tuple[str, str], ...]:
    """The kinds of words in order, as many plain ones as there may be; units count by themselves."""
    several = len(words) > 1
    kinds: list[tuple[str, str]] = []
    for word in words:
        kind: str = word.kind
        if kind == "word" and word.plain in MONTHS and not several:
            kind = "month"
        elif kind in {"weekday", "day"} and several:
            kind = "word"
        kinds.append((kind, word.canon if kind in {"unit", "symbol", "stop", "comma"} else ""))
    return _pattern_of(tuple(kinds))


def _date_form(text: str) -> str:
    """How a date is written: in digits, or with which names."""
    words = values_of(text)
    if len(words) != 1 or words[0].kind != "date":
        return ""
    return (
        "".join("0" if each.isdigit() else "" if each.isalpha() else each for each in text.replace(" ", "")).replace(
            "00", "0"
        )
        + ("d" if text[0].isdigit() else "m")
        + str(len(words[0].canon.split("-")[0]))
    )


def _is_whole(words: Sequence[Token]) -> bool:
    return len(words) == 1 and words[0].kind == "number" and "." not in words[0].canon


def _sign(text: str) -> str:
    return text[:1] if text[:1] in {"-", "+"} else ""


def _quarter(text: str) -> str:
    return "q" if text.lower() in _QUARTERS else ""


def _scripts(text: str) -> set[str]:
    """Of its letters, by the first word of their names: ``LATIN``, ``CYRILLIC`` …."""
    return {unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()}


def _looks(text: str) -> str:
    return text.casefold().translate(_LOOKALIKES)


def _clock_form(text: str) -> str:
    words = values_of(text)
    if len(words) != 1 or words[0].kind != "time":
        return ""
    return "m" if text.rstrip(".").lower().endswith("m") else "24"
