"""The words of a request: what is one word, what kind of thing it says, and the one form of all that mean the same."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from core.reload.matching.quantities import DAYS, MONTHS, NUMBERS, ORDINALS, UNITS, WEEKDAYS
from core.reload.matching.vocabulary import CONTRACTIONS, HARD, LINKS, NOUN_CLASSES, PLAIN, VERB_CLASSES, VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal[
    "word", "number", "ordinal", "unit", "date", "time", "month", "weekday", "day", "email", "url", "path", "file",
    "version", "handle", "tag", "text", "symbol", "stop", "comma", "place",
]  # fmt: skip
"""What a token says; ``text`` is what stood in quotes, ``place`` where a recorded value stands."""


class Token(NamedTuple):
    """A word of a request, or what counts as one."""

    raw: str
    """As it stands, without quotes."""
    canon: str
    """The one form of all that mean the same."""
    plain: str
    """Without regard to case alone."""
    kind: Kind
    start: int
    end: int
    """Where ``raw`` stands in the request."""
    literal: bool = False
    """Whether it stood in quotes: then it means itself."""
    breaks: bool = False
    """Whether a comma, or a colon, stands before it."""
    introduced: bool = False
    """Whether that is a colon."""
    determined: str = ""
    """The article before it."""
    role: str = ""
    """How it belongs to the noun behind it: ``'s``, ``of``, ``for``; empty for a part of the noun."""
    slot: str = ""
    """Of a place: whose value stands there."""
    around: tuple[str, str] = ("", "")
    """Of a place: what is written together with it, before and behind."""
    says: str = ""
    """Of a place: the kind of what was recorded there; empty for several words."""

    @property
    def about(self) -> str:
        """What kind of thing it says, in a place too."""
        return self.says if self.kind == "place" or self.says else self.kind


_TOKEN: Final = re.compile(
    r"""
    (?P<text>"[^"\n]{1,300}"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|`[^`\n]{1,300}`
      |(?<!\w)['\u2018][^'\u2019\n]{1,300}['\u2019](?!\w))
    |(?P<url>(?:https?|ftp|file)://[^\s"'<>]+|www\.[^\s"'<>]+)
    |(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})
    |(?P<path>(?:~|\.{1,2})?/[\w.~@%+/-]+|[A-Za-z]:\\[^\s"]+)
    |(?P<date>\d{4}-\d{1,2}-\d{1,2}(?!\w)|\d{1,4}/\d{1,2}/\d{1,4}(?![\w/])|\d{1,2}\.\d{1,2}\.\d{2,4}(?!\w|\.\w)|\d{1,2}/\d{1,2}(?![\w/]))
    |(?P<time>(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[aApP](?:[mM]\b|\.[mM]\.?))?|\d{1,2}\s?[aApP](?:[mM]\b|\.[mM]\.?))(?![\w:]))
    |(?P<version>(?:[vV]\d+(?:\.\d+){0,8}|\d+(?:\.\d+){2,8})(?!\w|\.\w))
    |(?P<file>[\w-]+(?:\.[\w-]+){0,8}\.[A-Za-z][\w-]*)
    |(?P<ordinal>\d+(?:st|nd|rd|th)\b)
    |(?P<number>(?:(?<![\w)\]])[+-])?\d+(?:,\d{3})*(?:\.\d+)?)
    |(?P<handle>@\w[\w.-]*)
    |(?P<tag>\#\w[\w-]*)
    |(?P<word>\w+(?:[-'\u2019]\w+)*)
    |(?P<symbol>\S)
    """,
    re.VERBOSE,
)
_SPACES: Final = re.compile(r"\s+")
_USUAL: Final = (HARD | PLAIN | VERBS | VERB_CLASSES.keys()) - DAYS - NUMBERS.keys() - ORDINALS.keys() - MONTHS.keys()
"""Words that stand for themselves: told apart at once, since most are."""
_STOPS: Final = frozenset(".!?;…")
_DASHES: Final = frozenset("\u2013\u2014")
_QUOTED: Final = 2


def plain(text: str) -> str:
    """Without regard to case, to how letters are encoded, and to how wide spaces are."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("\u2018", "'")
    return _SPACES.sub(" ", text).strip().casefold()


def canonical(word: str) -> str:
    """The one form of a word and of all that mean the same: of "show" and "launch" it is "open"."""
    word = plain(word)
    return VERB_CLASSES.get(word) or NOUN_CLASSES.get(word) or LINKS.get(word, word)


def squeezed(text: str) -> str:
    """A request without regard to how letters are encoded, to white space, and to its last full stop."""
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    return text.rstrip(".!…").rstrip() or text


def tokens(text: str) -> list[Token]:
    """What a text consists of, in order, white space aside; nothing is left out."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, raw = match.lastgroup or "symbol", match.group()
        if kind == "word" and raw in _USUAL:
            found.append(Token(raw, raw, raw, "word", match.start(), match.end()))
        else:
            found.extend(_read(kind, raw, match.start()))
    return found


def _read(kind: str, raw: str, start: int) -> Iterator[Token]:
    if kind == "word":
        yield from _word(raw, start)
    elif kind == "text":
        inner = raw[1:-1]
        canon = _SPACES.sub(" ", inner).strip()
        yield Token(inner, canon, plain(inner), "text", start + 1, start + 1 + len(inner), literal=True)
    elif kind == "symbol":
        yield _symbol(raw, start)
    else:
        if kind in _ENDING and (bare := _bare(raw, kind)) != raw:
            yield from _read(kind, bare, start)
            yield from (_symbol(mark, start + at) for at, mark in enumerate(raw) if at >= len(bare))
            return
        yield Token(raw, _CANON.get(kind, plain)(raw), plain(raw), kind, start, start + len(raw))  # pyright: ignore[reportArgumentType] - the groups are kinds


def _word(raw: str, start: int) -> Iterator[Token]:
    form = raw.casefold() if raw.isascii() else plain(raw)
    end = start + len(raw)
    if form in CONTRACTIONS:
        for part in CONTRACTIONS[form]:
            yield Token(raw, part, part, "word", start, end)
        return
    role = ""
    if form.endswith("'s") and len(form) > _QUOTED:
        form, raw, end, role = form[:-2], raw[:-2], end - 2, "'s"
    if form in WEEKDAYS and (raw[0].isupper() or len(form) > _ABBREVIATED):
        yield Token(raw, WEEKDAYS[form], form, "weekday", start, end, role=role)
    elif form in MONTHS and (raw[0].isupper() or len(form) > _ABBREVIATED):
        yield Token(raw, f"month-{MONTHS[form]}", form, "month", start, end, role=role)
    elif form in DAYS:
        yield Token(raw, form, form, "day", start, end, role=role)
    elif form in NUMBERS:
        yield Token(raw, NUMBERS[form], form, "number", start, end, role=role)
    elif form in ORDINALS:
        yield Token(raw, ORDINALS[form], form, "ordinal", start, end, role=role)
    else:
        # What holds digits may be a password or a part's number: there the case counts.
        canon = form if form.isalpha() else unicodedata.normalize("NFKC", raw)
        yield Token(raw, canon, form, "word", start, end, role=role)


_ENDING: Final = frozenset({"url", "path", "handle"})
_ABBREVIATED: Final = 4
"""Letters of a name of a month or weekday, up to which it may be another word: "may", "mar", "sun"."""


def _symbol(raw: str, start: int) -> Token:
    form = plain(raw) or raw
    kind: Kind = "symbol"
    canon = form
    if form in _STOPS:
        kind = "stop"
    elif form in {",", ":"}:
        kind = "comma"
    elif form in UNITS:
        kind, canon = "unit", UNITS[form]
    elif form == "&":
        kind, canon = "word", "and"
    elif form in _DASHES:
        canon = "-"
    return Token(raw, canon, form, kind, start, start + len(raw))


def _bare(raw: str, kind: str) -> str:
    """Without what ends the sentence; two full stops are the folder above."""
    bare = raw.rstrip(".,!?;:") if kind == "url" else raw.removesuffix(".")
    return bare if bare[-1:].isalnum() or bare.endswith("/") == (kind == "url") else raw


def _number(raw: str) -> str:
    """The shortest that means the same: ``1,000`` and ``1000``; ``3.0`` may be a version, and ``007`` a name."""
    return plain(raw).replace(",", "").removeprefix("+")


def _ordinal(raw: str) -> str:
    return plain(raw)[:-2]


def _date(raw: str) -> str:
    parts = plain(raw).split("-")
    return "-".join(part.zfill(2) for part in parts)


def _time(raw: str) -> str:
    """``5pm``, ``5:00 p.m.`` and ``17:00`` are the same."""
    form = plain(raw).replace(" ", "").replace(".", "")
    clock = form.rstrip("apm")
    hours, _, rest = clock.partition(":")
    hour = int(hours)
    if form.endswith("m"):
        hour = hour % 12 + (12 if "p" in form else 0)
    return f"{hour:02d}:{rest or '00'}"


def _address(raw: str) -> str:
    return unicodedata.normalize("NFKC", raw)


_CANON: Final = {
    "number": _number,
    "ordinal": _ordinal,
    "date": _date,
    "time": _time,
    "url": _address,
    "path": _address,
    "file": _address,
}
"""Of other kinds their plain form: e-mail addresses and handles are the same in any case."""
