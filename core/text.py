"""What the readers of English text share: one line of visible signs, quotation marks, words for numbers and dates."""

import difflib
import itertools
from collections.abc import Iterable
from typing import Final

QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "«": "»",
}
"""Each opening quotation mark, and the signs of which one closes it."""
SHELL_PROMPTS: Final = ("$", "#", "%", ">")
"""How a shell's prompt ends; a colon, as of other programs, is as well the end of a field's name."""
ICON_LETTERS: Final = frozenset("0OoQCcXxVv")
"""What readers make of a circle, a cross, a magnifying glass and an arrow."""
APOSTROPHES: Final = "'\u2019"
NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

IDENTIFIERS: Final = (
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    r"\b(?=[0-9a-fol]*\d)(?=[0-9a-fol]*[a-f])[0-9a-fol]{6,40}\b",
)
"""UUIDs and the hexadecimal names of commits, as regular expressions; pictures are read with o for 0 and l for 1."""

RUNNER_HEADING: Final = r"TEST BODY|(?:BEFORE|AFTER) (?:EACH|ALL)(?: \(\d\))?"
"""Above the commands of a test that Cypress runs, and of what is done before and after it, as a regular expression."""
RUNNER_VIEWPORT: Final = r".{,2}\d{3,4} ?[x\u00d7] ?\d{3,4}(?: ?\(\d{1,3} ?%\))?"
"""How Cypress writes the size of the page above it, behind an icon, and how far it is made smaller."""
PASSED: Final = "\u2713"
FAILED: Final = "\u2717"
"""The marks that it draws before the titles of tests."""

_SAME: Final = 0.8
_SHORTEST: Final = 4
"""Letters of a text that another one may go on from."""


def one_line(text: str) -> str:
    """The text with single spaces for line breaks, control characters and signs that turn the reading direction."""
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(text.split())


def is_begun_as(part: str, whole: str) -> bool:
    """Whether a text is another one, or its beginning, but for slips in its last two letters or in one of ten."""
    one, other = "".join(part.split()), "".join(whole.split())
    if min(len(one), len(other)) < _SHORTEST:
        return False
    begin = sum(1 for _ in itertools.takewhile(lambda signs: signs[0] == signs[1], zip(one, other, strict=False)))
    is_begin = begin >= max(_SHORTEST, len(one) - 2)
    return is_begin or difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME


def letters_of(text: str) -> str:
    """Its letters and digits alone, in lower case."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The question for the nearest known name, else the other sentence: by default the list of the known ones."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else otherwise or f"There are: {', '.join(names)}."


def is_apostrophe(text: str, at: int) -> bool:
    """Whether the sign at an index is an apostrophe inside a word, which closes no quotation."""
    return text[at] in APOSTROPHES and text[at + 1 : at + 2].isalnum()


def closing_mark(text: str, at: int) -> int | None:
    """The index of the mark that closes the quotation which begins at an index; ``None`` where none begins.

    A mark that is never closed, an apostrophe behind a letter and an empty quotation begin none.
    """
    closing = QUOTES.get(text[at])
    if closing is None or (text[at] in APOSTROPHES and at and text[at - 1].isalnum()):
        return None
    found = (end for end in range(at + 1, len(text)) if text[end] in closing and not is_apostrophe(text, end))
    end = next(found, None)
    return end if end != at + 1 else None
