"""The shape of a value: a replay takes another value by itself only when it has the shape of the recorded one."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from core.text import MONTHS, WEEKDAYS

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
