"""Quotations in a line of a plan: found, also where one holds other quotation marks, and written so that they are."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, cast

from core.text import closing_mark

_PAIRS: Final = (('"', '"'), ("\u201c", "\u201d"), ("«", "»"), ("`", "`"))
"""What is written: the first pair whose end is not in the text. Targets are read with the same ones."""
_ESCAPED: Final = re.compile(r'`("(?:[^"\\\x00-\x1f`]|\\[^`])*")`')
FIRST: Final = 0xE000
"""The code of the sign that stands for the first quotation."""
_MOST: Final = 200
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
QUOTE: Final = "[\ue000-\uf8ff]"
"""As a regular expression: one quotation in a skeleton."""


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
