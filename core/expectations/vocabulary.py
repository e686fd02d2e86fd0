"""The vocabulary of expectations, as tables; and from a sentence to symbols, where every word must be known."""

from __future__ import annotations

import itertools
import re
from collections import ChainMap
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.expectations.claims import Compare, Moment, NotUnderstood, Verb
from core.text import APOSTROPHES, NUMBERS, QUOTES, is_apostrophe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Mark(Enum):
    """What a symbol does in the sentence."""

    QUOTE = "quote"
    VERB = "verb"
    NOT = "not"
    AND = "and"
    OR = "or"
    COMMA = "comma"
    THEN = "then"
    WITHIN = "within"
    OF = "of"
    AFTER = "after"
    BEFORE = "before"
    UNTIL = "until"
    FOR = "for"
    AT = "at"
    FROM = "from"
    TO = "to"
    MOMENT = "moment"
    EDGE = "edge"
    COMPARE = "compare"
    NUMBER = "number"
    DURATION = "duration"
    TIMES = "times"
    ALWAYS = "always"
    PLACE = "place"
    NEITHER = "neither"
    NOR = "nor"


_VERBS = {
    Verb.SHOWN: "shown|displayed|presented|show|shows|showed|showing|display|displays|displaying|read|reads|reading"
    "|say|says|contain|contains|contained|include|includes|show up|shows up",
    Verb.APPEARS: "appear|appears|appeared|appearing|pop up|pops up|popped up|come up|comes up|came up",
    Verb.VISIBLE: "visible|present|exist|exists|there is|there are|there was|there were|is there|are there|be there",
    Verb.SEES: "to see|see|sees|saw|seen|find|finds|found",
    Verb.GONE: "disappear|disappears|disappeared|disappearing|disappear again|disappears again|disappeared again"
    "|vanish|vanishes|vanished|vanishing|go away|goes away|went away|going away|close|closes|closed"
    "|closing|dismissed|removed|fade out|fades out|fade away|fades away",
    Verb.AWAY: "gone|gone again|no longer shown|no longer visible|no longer displayed|no longer present"
    "|no longer there",
    Verb.STAYS: "stay|stays|stayed|remain|remains|remained|lasts|lasted",
    Verb.TYPED: "typed|type|types|typing|typed in|typed out|entered|enter|enters",
    Verb.CHANGES: "change|changes|changed|changing|become|becomes|became|turn into|turns into|turned into"
    "|switch|switches|switched|replaced by|replaced with",
}
HIDDEN = "hidden"
"""The value of verbs that deny by themselves."""

_HIDDEN = "hidden|absent|missing|invisible"
_STAYING = (
    "stay|stays|stayed|remain|remains|remained",
    "visible|shown|displayed|present|there|on screen|on the screen",
)

_COMPARES = {
    Compare.EXACTLY: "exactly|precisely|only",
    Compare.AT_LEAST: "at least|no less than|not less than|no fewer than|no shorter than|minimum",
    Compare.AT_MOST: "at most|no more than|not more than|up to|no longer than|not longer than|no later than"
    "|not later than|maximum",
    Compare.MORE: "more than|longer than",
    Compare.LESS: "less than|fewer than|under|shorter than",
}
_CLIP = "video|clip|recording|test|run|film"
_EDGES = {Moment.START: "start|beginning", Moment.END: "end"}

_WORDS = {
    Mark.NOT: "not|never|no|n't",
    Mark.NEITHER: "neither",
    Mark.NOR: "nor",
    Mark.AND: "and|but|and also|as well as",
    Mark.OR: "or",
    Mark.THEN: "then|and then|followed by|is followed by|afterwards",
    Mark.WITHIN: "within|within the first|in the first|during the first|in less than|in under|in at most"
    "|in no more than",
    Mark.OF: "of|since",
    Mark.AFTER: "after|later than",
    Mark.BEFORE: "before|earlier than|prior to",
    Mark.UNTIL: "until|till",
    Mark.FOR: "for",
    Mark.FROM: "from",
    Mark.TO: "to|into",
    Mark.ALWAYS: "always|throughout|the whole time|all the time|during the whole video|in every frame",
    Mark.PLACE: "on screen|on the screen|on the page|in the video|in the clip|in the recording|in the app"
    "|in the application|in the window|on the display",
}
_COUNTS = {"once": 1, "twice": 2, "thrice": 3}
UNITS = {
    "ms|msec|msecs|millisecond|milliseconds": 1,
    "s|sec|secs|second|seconds": 1000,
    "m|min|mins|minute|minutes": 60_000,
}
_SPANS = {"a second": 1000, "half a second": 500, "a minute": 60_000, "half a minute": 30_000}

_KINDS = (
    "button|link|tab|heading|headline|title|toast|banner|dialog|dialogue|popup|pop-up|modal|alert|notification|field"
    "|input|menu|option|item|checkbox|badge|tooltip|snackbar|placeholder|header|footer"
)
"""What a text may stand on. It is read over, and the verdict says that only the text was looked for."""

_PLAIN = (
    "a|an|the|that|this|it|its|is|are|was|were|be|been|being|has|have|had|do|does|did|should|shall|must|will|can"
    "|both|either|i|we|you|they|user|users|us|expect|expects|expected|verify|check|ensure|make|sure|assert|please"
    "|eventually|also|text|texts|message|messages|label|word|words|string|line|caption|phrase|value|counter|count"
    "|status|number|error|warning|notice|screen|page|app|application|window|view|ui|video|clip|recording|here|there"
    "|as well|expected to|is expected to|are expected to|needs to|need to|has to|have to|ought to|to be|is able to"
    "|able to|that says|which says|that reads|which reads|that contains|saying|with the text|with text"
    "|with the message|titled|labelled|labeled|named|called"
)
"""Words that change nothing, in what a text does and when."""

Meaning = tuple[Mark | None, Any]
"""The mark of a phrase and its value; without a mark it changes nothing, is a ``KIND`` or cannot stand alone."""

KIND = "kind"
UNSCOPED = "unscoped"


def _phrases() -> Iterator[tuple[str, Meaning]]:
    """Groups of phrases, divided by ``|``, and what they mean; later ones win."""
    yield _PLAIN, (None, None)
    yield _KINDS, (None, KIND)
    yield "no longer|still", (None, UNSCOPED)
    for mark, phrases in _WORDS.items():
        yield phrases, (mark, None)
    for verb, phrases in _VERBS.items():
        yield phrases, (Mark.VERB, verb)
        yield "|".join(f"to {phrase}" for phrase in phrases.split("|")), (Mark.VERB, verb)
    yield _HIDDEN, (Mark.VERB, HIDDEN)
    yield "|".join(map(" ".join, itertools.product(*(part.split("|") for part in _STAYING)))), (Mark.VERB, Verb.STAYS)
    for compare, phrases in _COMPARES.items():
        yield phrases, (Mark.COMPARE, compare)
    yield from _numbers()
    yield from _moments()


def _numbers() -> Iterator[tuple[str, Meaning]]:
    yield "time|times", (Mark.TIMES, None)
    for word, number in _COUNTS.items():
        yield word, (Mark.TIMES, number)
    for word, number in ({"zero": 0} | NUMBERS).items():
        yield word, (Mark.NUMBER, number)
        for names, milliseconds in UNITS.items():
            yield "|".join(f"{word} {name}" for name in names.split("|")), (Mark.DURATION, number * milliseconds)
    for phrase, milliseconds in _SPANS.items():
        yield phrase, (Mark.DURATION, milliseconds)


def _moments() -> Iterator[tuple[str, Meaning]]:
    yield "at", (Mark.AT, None)
    for moment, names in _EDGES.items():
        for name in names.split("|"):
            for edge in (f"the {name}", name, *(f"the {name} of the {clip}" for clip in _CLIP.split("|"))):
                yield edge, (Mark.EDGE, moment)
                yield f"at {edge}|in {edge}", (Mark.MOMENT, moment)
    yield "initially|at first|on the first screen|in the first frame", (Mark.MOMENT, Moment.START)
    yield "on the last screen|in the last frame|on the final screen", (Mark.MOMENT, Moment.END)
    yield "first", (Mark.MOMENT, Moment.FIRST)
    yield "last|lastly", (Mark.MOMENT, Moment.LAST)


PHRASES: dict[tuple[str, ...], Meaning] = {
    tuple(phrase.split()): meaning for phrases, meaning in _phrases() for phrase in phrases.split("|")
}
"""Every known phrase, word by word, in lower case."""

LONGEST_PHRASE = max(map(len, PHRASES))


@dataclass(frozen=True)
class Symbol:
    """A quoted text, a phrase or a number, and how it stood in the sentence."""

    mark: Mark
    value: Any
    said: str


_CONTRACTED = {"won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not"}
_QUOTES = QUOTES | {"\u201d": "\u201d", "»": "«", "\u2039": "\u203a", "「": "」"}
"""Each opening quotation mark, and what closes it."""

_PIECE = re.compile(
    r"(?P<clock>[0-9]{1,4}:[0-5][0-9](?:\.[0-9]+)?)(?!\w)|(?P<number>[0-9]{1,9}(?:[.,][0-9]{1,9})?)\s*(?P<unit>[a-z]+\b)?"
    r"|(?P<comma>[,;:.!?\u2013\u2014]+|-(?=\s))|(?P<word>[^\W\d_]+(?:['\u2019-][^\W\d_]+)*)|(?P<other>\S)",
    re.IGNORECASE,
)

Piece = Symbol | str
"""A symbol, or a word that is still to be looked up."""


@dataclass(frozen=True)
class QuotedWords:
    """What a sentence consists of."""

    symbols: list[Symbol]
    kinds: tuple[str, ...]
    """What its texts are said to stand on: button, toast."""
    unknown: tuple[str, ...]
    """Words and numbers that no rule knows."""


def read(sentence: str, more: Mapping[tuple[str, ...], Meaning] = MappingProxyType({})) -> QuotedWords:
    """Take a sentence apart. ``more`` are phrases that are known besides the vocabulary's, and before them.

    Raises:
        NotUnderstood: a quotation that is empty or does not end.

    """
    pieces = list(_pieces(sentence))
    known = ChainMap(dict(more), PHRASES)
    symbols: list[Symbol] = []
    kinds: list[str] = []
    unknown: list[str] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if isinstance(piece, Symbol):
            symbols.append(piece)
            at += 1
            continue
        words = _longest_phrase(pieces, at, known) or (piece,)
        at += len(words)
        mark, value = known.get(words, (None, UNSCOPED))
        if mark is not None:
            symbols.append(Symbol(mark, value, " ".join(words)))
        elif value == KIND:
            kinds += words
        elif value == UNSCOPED:
            unknown.append(" ".join(words))
    return QuotedWords(symbols, tuple(kinds), tuple(unknown))


def _longest_phrase(
    pieces: Sequence[Piece], at: int, known: Mapping[tuple[str, ...], Meaning]
) -> tuple[str, ...] | None:
    words = list(itertools.takewhile(lambda piece: isinstance(piece, str), pieces[at : at + LONGEST_PHRASE]))
    lengths = range(len(words), 0, -1)
    return next((phrase for length in lengths if (phrase := tuple(map(str, words[:length]))) in known), None)


def no_rule(unknown: Sequence[str]) -> str:
    """Says that there are words which no rule knows."""
    shown = ", ".join(f'"{word[:40]}"' for word in dict.fromkeys(unknown[:6]))
    more = f" and {len(unknown) - 6} more" if len(unknown) > 6 else ""  # noqa: PLR2004 - as many as a reader takes in
    return f"there is no rule for {shown}{more} here; only what a quoted text does, when and how often can be judged"


def _pieces(sentence: str) -> Iterator[Piece]:
    """Quotes, durations, numbers and commas as symbols; words in lower case, contractions written out."""
    at = 0
    while at < len(sentence):
        if sentence[at].isspace():
            at += 1
            continue
        if sentence[at] in _QUOTES:
            text, at = _quoted(sentence, at)
            yield Symbol(Mark.QUOTE, text, text)
            continue
        match = _PIECE.match(sentence, at)
        if match is not None:
            yield from _from_match(match)
        at = match.end() if match else at + 1


def sentences(text: str) -> Sequence[str]:
    """The parts of a text between full stops, semicolons and line ends that stand outside quotations.

    Left out are parts that say nothing, and marks that quote nothing: that of "users'", and one without a partner.
    """
    said = [""]
    at = 0
    while at < len(text):
        sign, following = text[at], text[at + 1 : at + 2]
        after = at + 1
        if sign in APOSTROPHES and text[at - 1 : at].isalnum():
            said[-1] += sign if following.isalnum() else ""
        elif sign in _QUOTES:
            end = _end_of_quotation(text, at)
            after = at + 1 if end is None else end + 1
            said[-1] += "" if end is None else text[at:after]
        elif sign in ";\n\r" or (sign in ".!?" and not following.strip()):
            said.append("")
        else:
            said[-1] += sign
        at = after
    return [part.strip() for part in said if any(sign.isalpha() or sign in _QUOTES for sign in part)]


def _quoted(sentence: str, at: int) -> tuple[str, int]:
    """The quoted text that begins here, and where the sentence goes on."""
    end = _end_of_quotation(sentence, at)
    if end is None:
        raise NotUnderstood(f"the quotation that begins with {sentence[at : at + 20]} does not end")
    text = re.sub(rf"\\([{re.escape(_QUOTES[sentence[at]])}\\])", r"\1", sentence[at + 1 : end])
    if not text.strip():
        raise NotUnderstood("it quotes an empty text, which is everywhere and nowhere")
    return text, end + 1


def _end_of_quotation(sentence: str, at: int) -> int | None:
    """Where the mark is that closes the quotation which begins here."""
    closing = _QUOTES[sentence[at]]
    end = at + 1
    while end < len(sentence):
        following = sentence[end + 1 : end + 2]
        if sentence[end] == "\\" and following and following in f"{closing}\\":
            end += 2
            continue
        if sentence[end] in closing and not is_apostrophe(sentence, end):
            return end
        end += 1
    return None


def _from_match(match: re.Match[str]) -> Iterator[Piece]:
    if match["clock"]:
        minutes, seconds = match["clock"].split(":")
        yield Symbol(Mark.DURATION, int(minutes) * 60_000 + round(float(seconds) * 1000), match[0])
    elif match["number"]:
        yield from _number(match["number"].replace(",", "."), (match["unit"] or "").lower())
    elif match["comma"]:
        yield Symbol(Mark.COMMA, None, match[0])
    else:
        word = (match["word"] or match["other"]).lower().replace("\u2019", "'")
        word = _CONTRACTED.get(word, word)
        yield from re.sub("n't$", " not", word).split()


def _number(number: str, unit: str) -> Iterator[Piece]:
    factor = next((factor for names, factor in UNITS.items() if unit in names.split("|")), None)
    if factor is not None:
        yield Symbol(Mark.DURATION, round(float(number) * factor), f"{number} {unit}")
        return
    yield Symbol(Mark.NUMBER, int(number), number) if number.isdigit() else number
    if unit:
        yield unit
