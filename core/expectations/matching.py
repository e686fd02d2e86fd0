"""Is this the text that was asked for? Exact, read with the usual slips of OCR, only near, or not at all.

Letters match in either case and any run of white space is one space. Words match whole: "Save" is not in "Saved".
Forgiven are what readers of pixels get wrong without changing a word: lost spaces and commas, and in words of at least
four letters 0 for O, 1 or I for l, rn for m. Digits and shorter words are never forgiven: "1024" is not "1042".
What differs by one letter, or was read with little confidence, is *near*: too close to deny, too far to assert.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from functools import cached_property, lru_cache

LOW_CONFIDENCE = 0.6
"""Readings below this never prove anything by themselves."""

HARDLY_READ = 0.75
"""Readings below this may have lost most letters of a line, as those of very small letters do."""
REMAINS = 0.25
REMAINING_LENGTH = 6
IN_ORDER = 0.9

FORGIVING_LENGTH = 4
NEAR_LENGTH = 5
"""Words shorter than this are different words when one letter differs."""

LONG_WORD = 12
SPACELESS_LENGTH = 8
BLURRED_RATIO = 0.7

DENIAL_WORDS = 3
_DENIALS = frozenset({"not", "no", "never", "cannot", "without", "neither", "nor", "nothing"})

SOFT = " .,;:!?\"'()[]{}·•*-_|"
"""What may be lost or added between words without another meaning."""

_SAME_SIGN = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"') | dict.fromkeys("‐‑‒–—―−﹘", "-")  # noqa: RUF001 - the look-alikes are the point
)
_TOKEN = re.compile(r"(?:(?<!\w)[-+](?=\d))?\w*\d\w*(?:[.,:/]\d\w*)*|\w+|[^\w\s]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts that write without spaces: there a word has no visible border."""

ANY_NUMBER = "{number}"
"""In a wanted text, any number."""
_NUMBER = r"(?:\d+(?:[.,:]\d+)*|\{number\})"

_LOOKS_LIKE = {"l": "[lI1|]", "I": "[Il1|]", "o": "[o0]", "O": "[O0]", "m": "(?:m|rn)", "rn": "(?:rn|m)"}
_BLUR = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})


class Closeness(IntEnum):
    """How well a line of the screen answers to the wanted text."""

    NONE = 0
    NEAR = 1
    TOLERANT = 2
    EXACT = 3


def canonical(text: str) -> str:
    """One spelling for what looks the same: Unicode forms, quotation marks, dashes, white space, invisible signs."""
    unified = unicodedata.normalize("NFKC", text.translate(_SAME_SIGN)).translate(_SAME_SIGN)
    return " ".join("".join(sign for sign in unified if unicodedata.category(sign) != "Cf").split())


def tokens_of(text: str) -> tuple[str, ...]:
    """Words, numbers and meaningful signs of a canonical text; what is soft is left out."""
    return tuple(token for token in _TOKEN.findall(text) if token not in SOFT)


@lru_cache(maxsize=65536)
def blurred(text: str) -> str:
    """The text as a very short-sighted reader sees it; only good for doubt."""
    kept = "".join(sign for sign in text.casefold() if sign not in SOFT)
    return kept.translate(_BLUR).replace("rn", "m")


@dataclass(frozen=True)
class Line:
    """One line of the screen, prepared for many comparisons."""

    text: str
    confidence: float = 1.0

    @cached_property
    def canonical(self) -> str:
        """The line in its one spelling."""
        return canonical(self.text)

    @cached_property
    def folded(self) -> str:
        """The same without case."""
        return self.canonical.casefold()

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words and numbers, without case."""
        return tokens_of(self.folded)

    @cached_property
    def blurred(self) -> str:
        """See ``blurred``."""
        return blurred(self.folded)


class Wanted:
    """A quoted text of an expectation, prepared to be looked for.

    ``case_matters`` is set when the expectation quotes another text that differs from this one by case alone.
    """

    def __init__(self, text: str, *, case_matters: bool = False) -> None:
        self.text = text
        self.case_matters = case_matters
        self.canonical = canonical(text)
        self.folded = self.canonical.casefold()
        self.tokens = tokens_of(self.folded)
        self._blurred = blurred(self.folded)
        literal = self.canonical if case_matters else self.folded
        self._has_pattern = ANY_NUMBER in self.folded
        if self._has_pattern:
            self._exact = _with_numbers(literal, soft="")
            self._spaced, self._shaped = None if case_matters else _with_numbers(self.folded, soft=_SOFTLY), None
            return
        self._exact = re.compile(_bordered(re.escape(literal), literal))
        self._spaced = None if case_matters else _forgiving(self.folded, shapes=False)
        self._shaped = _forgiving(self.canonical, shapes=True)

    def closeness(self, line: Line) -> Closeness:
        """The best that can be said of this line."""
        found = self._readable(line)
        if not found and line.confidence < HARDLY_READ and self._may_remain(line):
            return Closeness.NEAR
        if line.confidence >= LOW_CONFIDENCE:
            return found or (Closeness.NEAR if self._is_near(line) else Closeness.NONE)
        return (
            Closeness.NEAR
            if found or self._is_near(line) or self.likeness(line.blurred) >= BLURRED_RATIO
            else Closeness.NONE
        )

    def occurrences(self, line: Line) -> int:
        """How often the line says it, at least once."""
        return max(1, len(self._exact.findall(line.canonical if self.case_matters else line.folded)))

    def _readable(self, line: Line) -> Closeness:
        whole = line.canonical if self.case_matters else line.folded
        exact = list(self._exact.finditer(whole))
        if exact:
            is_plain = any(not is_denied(whole[: each.start()], self.folded) for each in exact)
            return Closeness.EXACT if is_plain else Closeness.NEAR
        found = self._spaced.search(line.folded) if self._spaced else None
        if found is None and self._shaped is not None:
            found = self._shaped.search(line.canonical)
            if found is not None and not _is_mostly_letters(self.canonical, found[0]):
                return Closeness.NEAR
        if found is None:
            return Closeness.NONE
        return Closeness.NEAR if is_denied(found.string[: found.start()], self.folded) else Closeness.TOLERANT

    def _is_near(self, line: Line) -> bool:
        if self.case_matters or self._has_pattern:
            return False
        count = len(self.tokens)
        windows = (line.tokens[at : at + count] for at in range(len(line.tokens) - count + 1))
        if count and any(self._is_near_window(window, alone=len(line.tokens) == 1) for window in windows):
            return True
        has_number_at_border = bool(self.tokens) and any(sign.isdigit() for sign in self.tokens[0] + self.tokens[-1])
        return len(self._blurred) >= SPACELESS_LENGTH and not has_number_at_border and self._blurred in line.blurred

    def _may_remain(self, line: Line) -> bool:
        """Whether the line's letters may be what is left of the text: nearly all of them are in it, in that order."""
        if self._has_pattern or len(line.blurred) < max(REMAINING_LENGTH, REMAINS * len(self._blurred)):
            return False
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - as in ``near_words``

        return LCSseq.similarity(self._blurred, line.blurred) >= IN_ORDER * len(line.blurred)

    def _is_near_window(self, window: tuple[str, ...], *, alone: bool) -> bool:
        pairs = [(want, got) for want, got in zip(self.tokens, window, strict=True) if want != got]
        if len(pairs) > max(1, len(self.tokens) // 4):
            return False
        return all(near_words(want, got, short_too=alone or len(self.tokens) > 1) for want, got in pairs)

    def likeness(self, seen: str) -> float:
        """How alike a blurred line is, 0..1; 0 as soon as it cannot be very."""
        if not self._blurred or not seen:
            return 0.0
        matcher = SequenceMatcher(None, self._blurred, seen, autojunk=False)
        return matcher.ratio() if min(matcher.real_quick_ratio(), matcher.quick_ratio()) > 0.5 else 0.0  # noqa: PLR2004 - half is no likeness


def is_denied(before: str, wanted: str) -> bool:
    """Whether the words right before a text say the opposite of it: "not yet saved" is no "saved"."""
    words = before.casefold().split()[-DENIAL_WORDS:]
    # "No 1042" is a number; "no invoices" is none.
    if not wanted[:1].isalpha():
        words = [word for word in words if word.strip(SOFT) != "no"]
    return any(word.strip(SOFT) in _DENIALS or word.endswith("n't") for word in words)


def _is_mostly_letters(wanted: str, found: str) -> bool:
    """Whether few enough letters were read as digits: "0verview" is "Overview", but "P001" is a code and no "Pool"."""
    more = sum(sign.isdigit() for sign in found) - sum(sign.isdigit() for sign in wanted)
    return more <= max(1, sum(sign.isalpha() for sign in wanted) // 4)


def same_words(want: str, got: str) -> bool:
    """Whether two words or numbers are the same, slips of OCR forgiven."""
    if want.casefold() == got.casefold():
        return True
    return _may_be_forgiven(want) and re.fullmatch(_shape(want), got) is not None and _is_mostly_letters(want, got)


@lru_cache(maxsize=65536)
def near_words(want: str, got: str, *, short_too: bool = True) -> bool:
    """Whether one could be a misreading of the other: one letter apart, and no mere other ending ("Save", "Saved")."""
    has_digits = any(sign.isdigit() for sign in want + got)
    # In a number a sign or comma is no dirt: "-5" is not "5".
    if (want.translate(_BLUR) == got.translate(_BLUR)) if has_digits else (blurred(want) == blurred(got)):
        return short_too or len(want) >= FORGIVING_LENGTH
    if min(len(want), len(got)) < NEAR_LENGTH or has_digits:
        return False
    if want.startswith(got) or got.startswith(want):
        return False
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - 25 ms, at the first word that is nearly another

    limit = 2 if len(want) >= LONG_WORD else 1
    return Levenshtein.distance(want, got, score_cutoff=limit) <= limit


def _forgiving(text: str, *, shapes: bool) -> re.Pattern[str] | None:
    """The text with soft signs optional and, with ``shapes``, letters that look alike; ``None`` if all is soft."""
    matches = [match for match in _TOKEN.finditer(text) if match[0] not in SOFT]
    if not matches:
        return None
    soft = f"[{re.escape(SOFT)}]*"
    parts: list[str] = []
    for index, match in enumerate(matches):
        if index:
            before = matches[index - 1]
            gap = text[before.end() : match.start()]
            # Between digits a space or comma is part of the number: "1 2" is not "12".
            is_numeric = before[0][-1].isdigit() and match[0][0].isdigit()
            parts.append(re.escape(gap) if is_numeric else soft)
        parts.append(_shape(match[0]) if shapes and _may_be_forgiven(match[0]) else re.escape(match[0]))
    return re.compile(_bordered("".join(parts), text[matches[0].start() : matches[-1].end()]))


_SOFTLY = f"[{re.escape(SOFT)}]*"


def _with_numbers(text: str, *, soft: str) -> re.Pattern[str]:
    """The text with any number in each ``{number}``; ``soft`` is what may stand where a blank does."""
    parts = [" ".join(re.escape(word) for word in part.split(" ")) for part in re.split(r"\{number\}", text)]
    pattern = _NUMBER.join(part.replace(" ", soft or " ") for part in parts)
    # What a number begins or ends with never is in the middle of another one.
    plain = text.replace(ANY_NUMBER, "0")
    return re.compile(_bordered(pattern, plain))


def _may_be_forgiven(word: str) -> bool:
    return len(word) >= FORGIVING_LENGTH and word.isalpha()


@lru_cache(maxsize=4096)
def _shape(word: str) -> str:
    return re.sub("rn|.", lambda part: _LOOKS_LIKE.get(part[0], re.escape(part[0])), word)


def _bordered(pattern: str, text: str) -> str:
    """The pattern, so that it never begins or ends inside a word or a number."""
    return _left_border(text) + pattern + _right_border(text)


def _left_border(text: str) -> str:
    first = text[:1]
    if _UNSPACED.match(first):
        return ""
    if first.isdigit():
        return r"(?<!\w)(?<!\d[.,:])(?<!(?<!\w)[-+])"
    return r"(?<!\w)(?<!\w')" if re.match(r"[\w+-]", first) else ""


def _right_border(text: str) -> str:
    last = text[-1:]
    if _UNSPACED.match(last):
        return ""
    if last.isdigit():
        return r"(?!\w)(?![.,:]\d)"
    return r"(?!\w)(?!'\w)" if re.match(r"\w", last) else ""
