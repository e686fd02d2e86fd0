"""A request as plain tokens, the shapes of its values, and whether it is the recorded one with other values."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from core.reload.entry import MAX_REQUEST, Slot, SlotKind
from core.reload.templates import Place, Template
from core.text import MONTHS, WEEKDAYS

_SPACES: Final = re.compile(r"\s+")
_QUOTES: Final = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb`", '"') | dict.fromkeys("\u2018\u2019", "'")
)
_TOKEN: Final = re.compile(r"\w(?:[\w.@:/%+'~-]*\w)?|\S")
_OPENING: Final = re.compile(
    r"(?:please|hey|hi|hello|ok(?:ay)?|bitte|por favor|s'il (?:te|vous) pla[iî]t|per favore"
    r"|(?:can|could|would|will) you)(?:\s*[,!:]\s*|\s+)",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?:,\s*|(?<=[.!?])\s*|\s+)"
    r"(?:please|thanks(?: a lot)?|thank you|thx|cheers|bitte|danke|por favor|gracias|merci)[.!]*$",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"(?:can|could|would|will) you\b", re.IGNORECASE)
_RELATIVE_DAYS: Final = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|(?:this|next|last) (?:week|weekend|month|year|quarter|morning|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|heute|morgen|gestern|hoy|mañana|ayer|aujourd'hui|demain|hier)\b",
    re.IGNORECASE,
)


class Token(NamedTuple):
    """A word, a number, an address, or one punctuation mark."""

    text: str
    start: int
    end: int
    """Where it stands in the text, in characters."""


def normalise(text: str) -> str:
    """The text without regard to Unicode composition, white space and the final full stop."""
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    return text.rstrip(".!…").rstrip() or text


def spoken(text: str) -> str:
    """What is asked for: one kind of quotation marks, without politeness at its ends and the final full stop.

    A question mark is dropped only behind "could you …": "delete the file?" asks something else.
    """
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text)).translate(_QUOTES).strip()
    is_request = False
    while (opening := _OPENING.match(text)) is not None and opening.end() < len(text):
        is_request = is_request or _ASKS.match(text) is not None
        text = text[opening.end() :]
    shorter = ""
    while shorter != text:
        shorter = text
        text = _CLOSING.sub("", text.rstrip(".!… ")).rstrip()
        if is_request:
            text = text.rstrip("? ")
    return text


def tokens(text: str) -> list[Token]:
    """Its tokens in order; only white space is left out."""
    return [Token(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def words(text: str) -> list[str]:
    """Its words, without regard to case and punctuation."""
    return [token.text.casefold() for token in tokens(text) if token.text[:1].isalnum()]


def relative_day(text: str) -> str:
    """The first words that mean another day each time they are said; empty when there are none."""
    found = _RELATIVE_DAYS.search(text)
    return found.group() if found is not None else ""


_ADDRESS: Final = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_URL: Final = r"https?://[^\s\"'<>]*[^\s\"'<>.,;:!?]"
_PATH: Final = r"(?:~|\.{1,2})?/[\w.~/@%+-]*\w"
_WHOLE: Final = tuple(re.compile(kind) for kind in (_ADDRESS, _URL, _PATH, r"@\w[\w.-]*\w", r"#\w[\w-]*"))
_FILE: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?P<suffix>[A-Za-z]\w{0,4})")
_RUNS: Final = re.compile(r"\d+|\D+")
_CAPITALISED: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_NO_NAMES: Final = frozenset({
    "all", "any", "anybody", "anyone", "anything", "both", "each", "everybody", "everyone", "everything", "every",
    "her", "hers", "him", "his", "i", "it", "its", "me", "mine", "my", "myself", "neither", "no", "nobody", "none",
    "nothing", "our", "ours", "somebody", "someone", "something", "that", "the", "their", "them", "these", "they",
    "this", "those", "us", "we", "who", "you", "your", "yours", "yourself", "not", "never", "without", "except",
    "today", "tomorrow", "tonight", "yesterday", "now", "later", "again", "and", "or", "a", "an",
})  # fmt: skip
"""Capitalised they look like names, and are none."""


def has_shape(recorded: str, value: str) -> bool:
    """Whether a value has the shape of the recorded one, word by word.

    Numbers differ in their digits alone, names in capitalised words, files keep their suffix; addresses, URLs, paths
    and handles are of one kind each. Lower-case words and units have to be the same.
    """
    one, other = recorded.split(" "), value.split(" ")
    return (
        len(one) == len(other)
        and has_script(recorded, value)
        and all(mine == its or _word_has_shape(mine, its) for mine, its in zip(one, other, strict=True))
    )


def has_script(recorded: str, value: str) -> bool:
    """Whether all letters of a value are of scripts that the recorded one has: some look like letters of others."""
    return _scripts(value) <= _scripts(recorded)


def _scripts(text: str) -> set[str]:
    if text.isascii():
        return {"LATIN"}
    return {unicodedata.name(letter, "?").partition(" ")[0] for letter in text if letter.isalpha()} or {"LATIN"}


def _word_has_shape(recorded: str, value: str) -> bool:
    for is_kind in (*(kind.fullmatch for kind in _WHOLE), *(names.__contains__ for names in (MONTHS, WEEKDAYS))):
        if is_kind(recorded):
            return bool(is_kind(value))
    if value.casefold() in _NO_NAMES or value in {*MONTHS, *WEEKDAYS}:
        return False
    if any(letter.isdigit() for letter in recorded):
        runs = (r"\d+" if run.isdecimal() else re.escape(run) for run in _RUNS.findall(recorded))
        return re.fullmatch("".join(runs), value) is not None
    if (file := _FILE.fullmatch(recorded)) is not None:
        other = _FILE.fullmatch(value)
        return other is not None and other["suffix"] == file["suffix"]
    return any(is_kind(recorded) and is_kind(value) for is_kind in (_is_name, _is_abbreviation))


def _is_name(word: str) -> bool:
    """Whether it is a capitalised word and no abbreviation."""
    return word[:1].isupper() and not _is_abbreviation(word) and _CAPITALISED.fullmatch(word) is not None


def _is_abbreviation(word: str) -> bool:
    return word.isupper() and word.isalpha() and len(word) > 1


_MARK: Final = 0xE000
"""A character of Unicode's private use area stands for each place while a phrasing is read."""
_MOST_PLACES: Final = 1000
_MARKS: Final = re.compile(f"([{chr(_MARK)}-{chr(_MARK + _MOST_PLACES)}])")
_FIRST_WORD: Final = re.compile(r"^[^\W\d_]+")
_QUOTED: Final = r'[^"\n]{1,300}'


def same_values(recorded: Sequence[Template], slots: Sequence[Slot], asked: str) -> dict[str, str] | None:
    """The values of all slots for a request that is one of these phrasings; ``None`` for every other request.

    The words are the recorded ones, in their order. Only politeness, white space and the case of the first word may
    differ, and values of slots that may take others, where each new value has the shape of the recorded one or stood in
    quotation marks before. Two phrasings that lead to different values are no match.

    Args:
        recorded: the phrasings of an entry.
        slots: of the entry.
        asked: the request.

    """
    if len(asked) > MAX_REQUEST:
        return None
    text = spoken(asked)
    found = [values for phrasing in recorded if (values := _values(phrasing, slots, text)) is not None]
    return found[0] if found and all(values == found[0] for values in found) else None


def accepts(slot: Slot, value: str) -> bool:
    """Whether a slot may take a value without asking: its own, or one of the same shape."""
    return slot.value is not None and (value == slot.value or (slot.rebinds and has_shape(slot.value, value)))


def _values(recorded: Template, slots: Sequence[Slot], asked: str) -> dict[str, str] | None:
    own = {slot.name: slot for slot in slots if slot.kind is SlotKind.VALUE and slot.value is not None}
    if not set(recorded.slots) <= own.keys() or relative_day(recorded.filled({})) or not _can_be_marked(recorded):
        return None
    pattern, places = _pattern(recorded, {name: slot.value or "" for name, slot in own.items()})
    match = pattern.fullmatch(asked)
    if match is None:
        return None
    values = {name: slot.value or "" for name, slot in own.items()}
    filled: dict[str, str] = {}
    for at, (name, quoted) in enumerate(places, 1):
        value, slot = match[at], own[name]
        if filled.setdefault(name, value) != value:
            return None
        free = quoted and slot.rebinds and has_script(slot.value or "", value)
        if not free and not accepts(slot, value):
            return None
    return values | filled if _keeps_equal_values_equal(values, filled) else None


def _keeps_equal_values_equal(recorded: Mapping[str, str], filled: Mapping[str, str]) -> bool:
    """Whether slots that had one value still have one: which of them is meant where cannot be known."""
    changed: dict[str, str] = {}
    return all(changed.setdefault(recorded[name], value) == value for name, value in filled.items())


def _can_be_marked(recorded: Template) -> bool:
    texts = [part for part in recorded.parts if isinstance(part, str)]
    return len(recorded.parts) - len(texts) <= _MOST_PLACES and not any(_MARKS.search(text) for text in texts)


def _pattern(recorded: Template, values: Mapping[str, str]) -> tuple[re.Pattern[str], list[tuple[str, bool]]]:
    """The pattern of a phrasing, and its places in order: which slot, and whether it stands in quotation marks."""
    names = [part.slot for part in recorded.parts if isinstance(part, Place)]
    marks = iter(range(_MARK, _MARK + _MOST_PLACES))
    text = "".join(chr(next(marks)) if isinstance(part, Place) else part for part in recorded.parts)
    pieces = _MARKS.split(spoken(text))
    pattern: list[str] = []
    places: list[tuple[str, bool]] = []
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            pattern.append(re.escape(piece))
            continue
        name = names[ord(piece) - _MARK]
        quoted = pieces[at - 1].endswith('"') and pieces[at + 1].startswith('"')
        further = values[name].count(" ")
        pattern.append(f"({_QUOTED})" if quoted else rf"(\S+(?: \S+){{{further}}})")
        places.append((name, quoted))
    return re.compile(_FIRST_WORD.sub(r"(?i:\g<0>)", "".join(pattern), count=1)), places
