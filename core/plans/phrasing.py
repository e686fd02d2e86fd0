"""The words that may stand in a line of a plan, and its quotations, which may hold other quotation marks."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from core.text import closing_mark

_TARGET_WORDS: Final = """
10th 1st 2nd 3rd 4th 5th 6th 7th 8th 9th a above adjacent alert an app application area as associated at bar belonging
below beneath beside big black blue bottom bottom-left bottom-most bottom-right bottommost box btn button called caption
card cell center centre check checkbox choice close column combo combobox containing contains corner date desktop dialog
dialogue directly display down drop drop-down dropdown edge edit editor eighth entitled entry field fieldset fifth final
first footer for form fourth from gray green grey group hand having header heading headline hyperlink icon image in
input inside it item its just label labeled labelled labels large last left line link list listbox little logo lower
lower-left lower-right lowermost marked menu menubar message middle modal multi-line multiline name named nav navbar
navigation near next ninth of on on-screen one opposite option orange page pane panel part picker picture placeholder
pop-up popup prompt push radio reading reads red right round row same saying says screen search second second-to-last
section select selector seventh showing shows side sidebar sixth slider small spin spinner status switch tab table tenth
text textarea textbox that the third this tick tickbox title titled to toggle toolbar top top-left top-most top-right
topmost under underneath upper upper-left upper-right uppermost visible which white whole window with within word words
yellow your
"""
TARGET_WORDS: Final = frozenset(_TARGET_WORDS.split())
"""What may stand around the quotations of a target: articles, kinds of things, ordinals, places, relations."""
_LINKING: Final = """
above adjacent associated at belonging below beneath beside containing for from in inside left near next of on opposite
right under underneath with within
"""
LINKING: Final = frozenset(_LINKING.split())
"""One of these must stand between two quotations of a target: else it names two things."""
CONTROLS: Final = (
    r"(?:push |radio |text |search |input |edit |form |check |tick |combo |list |menu |select |spin |date )?"
    r"(?:button|btn|link|hyperlink|tab|field|box|checkbox|tickbox|textbox|area|textarea|dropdown|drop-down|combobox"
    r"|listbox|picker|slider|icon|menu|item|entry|option|toggle|switch|bar|input|picture|image|logo|row|radio)"
)
"""A thing that can be clicked, as the last words of a target whose label stands there without quotation marks."""
MARK: Final = r"(?:check ?box|tick ?box|check-box|checkbox|tickbox)(?:es)?"
RADIO: Final = r"radio(?: button| box| option)?"
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
"""The numbers of equal things, in the order in which one reads."""
DROPDOWN: Final = (
    r"drop-?\s?down(?: list| menu| field)?|select(?: box| field)?|combo ?box|combo|list ?box|picker|selector"
)
SLIDER: Final = r"slider"
BUTTON: Final = r"(?:push |toggle )?(?:button|btn|toggle|switch|link|hyperlink|tab|icon|menu item|menu entry|option)"
_ACTION_WORDS: Final = """
add append ask browse check choose clear click close copy delete do double-click drag drop enter extract fill find go
hit input launch look make middle-click move navigate note open paste pick press push put read remove repeat replace
right-click run save scroll select send set start tap tick try type uncheck untick use visit wait write
"""
ACTION_WORDS: Final = frozenset(_ACTION_WORDS.split())
"""What a sentence that says what is to be done begins with: such a sentence is never what is to be seen."""
STATE: Final = (
    r"\b(?:is|are|was|were|appears?|disappears?|vanish(?:es)?|shows?|says?|reads?|stays?|becomes?|has|have|contains?"
    r"|closes|opens|changes|changed|comes|goes|can be (?:seen|read))\b"
)
"""The verb of a sentence that says what is to be seen."""
TIMES: Final = {
    "once": 1,
    "one time": 1,
    "twice": 2,
    "two times": 2,
    "three times": 3,
    "four times": 4,
    "five times": 5,
    "six times": 6,
    "seven times": 7,
    "eight times": 8,
    "nine times": 9,
    "ten times": 10,
}


_PAIRS: Final = (('"', '"'), ("\u201c", "\u201d"), ("«", "»"), ("`", "`"))
"""What is written: the first pair whose end is not in the text. Targets are read with the same ones."""
_ESCAPED: Final = re.compile(r'`("(?:[^"\\\x00-\x1f`]|\\[^`])*")`')
FIRST: Final = 0xE000
"""The code of the sign that stands for the first quotation."""
_MOST: Final = 200
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
QUOTE: Final = "[\ue000-\uf8ff]"
"""As a regular expression: one quotation in a skeleton."""
_ASIDE: Final = re.compile(r"\s\((?=[^()\s]+\s)([^()]+)\)")
"""More than a word: a number alone belongs to its sentence."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A line whose quotations are each one private character: so a pattern sees none of what is in them."""

    skeleton: str
    texts: tuple[str, ...]

    def text(self, sign: str) -> str:
        """What a quotation says."""
        return self.texts[ord(sign) - FIRST]

    def phrase(self, part: str) -> str | None:
        """A part of the skeleton in words again, blank space as one blank.

        ``None`` where a quotation has every quotation mark in it.
        """
        marked = {sign: marks(" ".join(self.text(sign).split())) for sign in _PRIVATE.findall(part)}
        if None in marked.values():
            return None
        return _PRIVATE.sub(lambda found: marked[found[0]] or "", " ".join(part.split()))


def quoted(line: str) -> Quoted | None:
    """The quotations of a line; ``None`` for a line that cannot be read so: private characters, hundreds of them."""
    if _PRIVATE.search(line):
        return None
    skeleton: list[str] = []
    texts: list[str] = []
    at = 0
    while at < len(line):
        found = _quotation(line, at)
        if found is None:
            skeleton.append(line[at])
            at += 1
            continue
        skeleton.append(chr(FIRST + len(texts)))
        texts.append(found[0])
        at = found[1]
        if len(texts) > _MOST:
            return None
    return Quoted("".join(skeleton), tuple(texts))


def restored(piece: str, texts: Sequence[str]) -> str:
    """A part of a skeleton with these quotations in it."""
    return re.sub(QUOTE, lambda found: quote(texts[ord(found.group()) - FIRST]), piece)


def without_asides(line: str) -> tuple[str, str]:
    """A line without the words in parentheses outside its quotations; and these, as sentences."""
    said = quoted(line)
    if said is None:
        return line, ""
    asides = [restored(each, said.texts).rstrip(".") for each in _ASIDE.findall(said.skeleton)]
    details = "".join(f"{each[:1].upper()}{each[1:]}. " for each in asides).rstrip()
    return restored(_ASIDE.sub("", said.skeleton), said.texts), details


def first_quotation(line: str) -> str:
    """What the first quotation of a line says; empty if there is none."""
    said = quoted(line)
    return said.texts[0] if said is not None and said.texts else ""


def quote(text: str) -> str:
    """A text in quotation marks, exactly: as a JSON string in backticks where no marks would do."""
    plain = marks(text) if text.isprintable() and text else None
    if plain is not None and not (plain[0] == "`" and text.startswith('"') and text.endswith('"')):
        return plain
    return f"`{json.dumps(text).replace('`', _BACKTICK)}`"


_BACKTICK: Final = "\\u0060"


def marks(text: str) -> str | None:
    """A text in the first quotation marks that it does not hold itself; ``None`` if it has all of them."""
    return next((f"{start}{text}{end}" for start, end in _PAIRS if end not in text), None)


def _quotation(line: str, at: int) -> tuple[str, int] | None:
    """The text of the quotation that begins here, and the index behind it."""
    escaped = _ESCAPED.match(line, at)
    if escaped is not None:
        text = _decoded(escaped[1])
        if text is not None:
            return text, escaped.end()
    end = closing_mark(line, at)
    return None if end is None else (line[at + 1 : end], end + 1)


def _decoded(text: str) -> str | None:
    try:
        return cast("str", json.loads(text))
    except ValueError:
        return None
