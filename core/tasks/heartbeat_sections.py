"""A Markdown text as lines and sections, and the labelled parts of a task in them.

It reads as CommonMark does where it matters for finding ``## Questions``: fences, ``<pre>`` and comments hide what is
in them, four columns of indentation make code, what is indented under a list item belongs to it. One thing is different
on purpose: a fence or a comment that is never closed hides nothing, for it would hide every question behind it.

::

    # Task
    Title: Send the weekly report
    Goal: Ann has the report of this week.
    SuccessCriteria:
    - "Message sent" is shown.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from core.tasks.heartbeat import Heartbeat


_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
# Not str.splitlines: U+2028, form feeds and such are no line ends in Markdown.
_CODE_COLUMNS: Final = 4
_ITEM: Final = re.compile(r"[ \t]*([-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})([^\r\n]*)")
_HTML: Final = re.compile(r"<!--|<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_HEADING: Final = re.compile(r"#{1,6}(?=[ \t]|$)")
_RULE_LENGTH: Final = 3


class Line(NamedTuple):
    """One line."""

    text: str
    """Without its end."""
    end: str
    r"""``\n``, ``\r\n``, ``\r``; empty for the last line of a file that does not end in one."""


class Kind(Enum):
    """What a line is."""

    BLANK = "blank"
    TEXT = "text"
    HEADING = "heading"
    ITEM = "item"
    """The first line of a list item that stands in no other."""
    INSIDE = "inside"
    """A further line of the item before it."""
    HIDDEN = "hidden"
    """In a fence, a comment or ``<pre>``, or the first or last line of it."""


class Section(NamedTuple):
    """A heading of level 1 or 2, and the lines up to the next one."""

    level: int
    name: str
    heading: int
    """The index of its line."""
    end: int
    """The index behind its last line."""


def lines_of(text: str) -> list[Line]:
    """The lines; joined they are the text again."""
    found = [Line(match[1], match[2]) for match in _LINE.finditer(text)]
    while found and found[-1] == ("", ""):
        found.pop()
    return found


def joined(lines: Sequence[Line]) -> str:
    """The text of lines."""
    return "".join([part for line in lines for part in line])


def usual_end(lines: Sequence[Line]) -> str:
    r"""The line end that most lines have, the first one's of those that are equally frequent; else ``\n``."""
    counts = dict.fromkeys([line.end for line in lines if line.end], 0)
    for line in lines:
        if line.end:
            counts[line.end] += 1
    return max(counts, key=lambda end: counts[end], default="\n")


def columns(text: str) -> int:
    """How far a line is indented; a tab goes to the next multiple of four."""
    at = 0
    for sign in text:
        if sign == " ":
            at += 1
        elif sign == "\t":
            at += 4 - at % 4
        else:
            break
    return at


def dedented(text: str, most: int) -> str:
    """The line without its first ``most`` columns of blank space, or without all there are if these are fewer."""
    at = 0
    for place, sign in enumerate(text):
        if at >= most or sign not in " \t":
            return text[place:]
        at += 1 if sign == " " else 4 - at % 4
    return ""


def is_blank(text: str) -> bool:
    """Whether nothing but spaces and tabs is in it."""
    return not text.strip(" \t")


def is_item(text: str) -> bool:
    """Whether a list item begins in this line."""
    return _ITEM.match(text) is not None and not _is_rule(text)


def heading_of(text: str) -> tuple[int, str] | None:
    """Level and name of a heading: ``## Questions`` is ``(2, "Questions")``."""
    match = _HEADING.match(text.lstrip(" ")) if columns(text) < _CODE_COLUMNS else None
    if match is None:
        return None
    name = text.lstrip(" ")[match.end() :].strip(" \t")
    bare = name.rstrip("#")
    closed = not bare or bare[-1] in " \t"
    return match.end(), (bare if closed else name).strip(" \t")


class Edit(NamedTuple):
    """Lines that take the place of others."""

    start: int
    end: int
    texts: Sequence[str]


class Blocks:
    """Finds where what hides its content ends. Asking for each line of a text takes linear time.

    Args:
        lines: the whole text.
        nested: whether it is that of a list item, where such a block may be indented as it likes.

    """

    def __init__(self, lines: Sequence[str], *, nested: bool = False) -> None:
        self._lines = lines
        self._nested = nested
        # A search that has failed would fail from every later line too.
        self._unclosed: dict[str, int] = {}

    def end(self, at: int) -> int | None:
        """The index behind the block that begins in line ``at``, or ``None`` if none does or it is never closed."""
        text = self._lines[at]
        if not self._nested and columns(text) >= _CODE_COLUMNS:
            return None
        text = text.lstrip(" \t")
        fence = _FENCE.match(text)
        if fence is not None and not (fence[1][0] == "`" and "`" in fence[2]):
            return self._fence_end(at, fence[1])
        html = _HTML.match(text)
        if html is None:
            return None
        closing = f"</{html[1].lower()}>" if html[1] else "-->"
        if closing in text[html.end() :].lower():
            return at + 1
        return self._first(at, closing, 0, lambda line: closing in line.lower())

    def _fence_end(self, at: int, fence: str) -> int | None:
        def closes(line: str) -> bool:
            bare = line.strip(" \t")
            return (
                len(bare) >= len(fence) and not bare.strip(fence[0]) and (self._nested or columns(line) < _CODE_COLUMNS)
            )

        return self._first(at, fence[0], len(fence), closes)

    def _first(self, at: int, kind: str, length: int, closes: Callable[[str], bool]) -> int | None:
        unclosed = self._unclosed.get(kind)
        if unclosed is not None and length >= unclosed:
            return None
        for place in range(at + 1, len(self._lines)):
            if closes(self._lines[place]):
                return place + 1
        self._unclosed[kind] = length
        return None


def kinds_of(lines: Sequence[Line]) -> list[Kind]:
    """What each line is."""
    texts = [line.text for line in lines]
    if texts:
        texts[0] = texts[0].removeprefix("\ufeff")
    blocks = Blocks(texts)
    kinds: list[Kind] = []
    inside: int | None = None
    while len(kinds) < len(texts):
        text = texts[len(kinds)]
        if is_blank(text):
            kinds.append(Kind.BLANK)
            continue
        is_lazy = inside is not None and kinds[-1] is not Kind.BLANK and _is_plain(text)
        if inside is not None and (columns(text) >= inside or (is_lazy and _goes_on(texts[len(kinds) - 1]))):
            kinds.append(Kind.INSIDE)
            continue
        inside = None
        end = blocks.end(len(kinds))
        if end is not None:
            kinds += [Kind.HIDDEN] * (end - len(kinds))
        elif heading_of(text) is not None:
            kinds.append(Kind.HEADING)
        elif columns(text) < _CODE_COLUMNS and is_item(text):
            kinds.append(Kind.ITEM)
            inside = columns(text) + 2
        else:
            kinds.append(Kind.TEXT)
    return kinds


def sections_of(lines: Sequence[Line], kinds: Sequence[Kind]) -> Iterator[Section]:
    """The sections, in order. What stands before the first heading is in none."""
    begun: tuple[int, int, str] | None = None
    for at, kind in enumerate(kinds):
        if kind is not Kind.HEADING:
            continue
        level, name = heading_of(lines[at].text.removeprefix("\ufeff")) or (0, "")
        if level > 2:  # noqa: PLR2004 - a section is one of the two levels that the format has
            continue
        if begun is not None:
            yield Section(begun[1], begun[2], begun[0], at)
        begun = (at, level, name)
    if begun is not None:
        yield Section(begun[1], begun[2], begun[0], len(lines))


def edited(lines: Sequence[Line], edits: Sequence[Edit]) -> list[Line]:
    """The lines with these edits, which do not overlap; a missing last line end stays missing."""
    end = usual_end(lines)
    made: list[Line] = []
    done = 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        made += lines[done : edit.start]
        old = lines[edit.start : edit.end]
        # A line that stays a line keeps its own end.
        made += [Line(text, old[at].end if at < len(old) else end) for at, text in enumerate(edit.texts)]
        done = max(edit.end, edit.start)
    made += lines[done:]
    for at, line in enumerate(made[:-1]):
        # Before an empty line, a CR would be taken for half of a CRLF.
        is_half = line.end == "\r" and made[at + 1] == ("", "\n")
        if is_half or not line.end:
            made[at] = Line(line.text, "\r\n" if is_half else end)
    if made:
        unfinished = bool(lines) and not lines[-1].end
        made[-1] = Line(made[-1].text, "" if unfinished else made[-1].end or end)
    return made


def same_name(name: str, other: str) -> bool:
    """Whether two headings name the same section: letter case and a colon behind do not count."""
    return name.rstrip(": \t").casefold() == other.rstrip(": \t").casefold()


def _is_plain(text: str) -> bool:
    """Whether a line that is not indented goes on with the paragraph before it."""
    bare = text.lstrip(" \t")
    if bare.startswith(">") or is_item(text) or _is_rule(text):
        return False
    return not (_FENCE.match(bare) or _HTML.match(bare) or heading_of(text))


def _goes_on(text: str) -> bool:
    """Whether a line of an item may be the middle of a paragraph.

    Its first line always may: a box that is put before what looks like a fence must not change what belongs to it.
    """
    bare = text.lstrip(" \t")
    return not (_FENCE.match(bare) or heading_of(bare))


def _is_rule(text: str) -> bool:
    signs = text.replace(" ", "").replace("\t", "")
    return len(signs) >= _RULE_LENGTH and signs[0] in "-*_" and not signs.strip(signs[0])


FIELDS: Final = (
    "Title",
    "Goal",
    "AppsObserved",
    "PreferredDemonstratedApproach",
    "ExecutionPolicy",
    "HardConstraints",
    "SuccessCriteria",
    "Effects",
    "SuggestedPlan",
    "AlternativeValidApproaches",
    "Evidence",
)
"""The parts of the format, in its order. A label may be written with blanks and in any case: ``Success criteria:``."""
_LABEL: Final = re.compile(r"(?:\*\*)?([A-Za-z][A-Za-z ]{1,40}?)(?:\*\*)?:(?:\*\*)?(.*)", re.DOTALL)
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)", re.DOTALL)
_NAMES: Final = {name.lower(): name for name in FIELDS}


class Field(NamedTuple):
    """One part."""

    name: str
    """As ``FIELDS`` spells it."""
    lines: tuple[str, ...]
    """As they are written, the label included, without blank lines behind."""
    items: tuple[str, ...]
    """What it says: its value or paragraph, and each of its bullets or steps, without their marks."""
    spans: tuple[range, ...]
    """The lines of the document that each item stands in."""


def task_fields(heartbeat: Heartbeat) -> Mapping[str, Field]:
    """The parts that a task has, by name; of two of one name, the first."""
    found: dict[str, Field] = {}
    for field in _fields(heartbeat.text):
        if field.items:
            found.setdefault(field.name, field)
    return found


def field_name(words: str) -> str | None:
    """``SuccessCriteria`` for "Success criteria"; ``None`` for what is no part of the format."""
    return _NAMES.get("".join(words.split()).rstrip(":").lower())


def _fields(text: str) -> Iterator[Field]:
    lines = lines_of(text)
    kinds = kinds_of(lines)
    for section in sections_of(lines, kinds):
        texts = [line.text for line in lines[section.heading : section.end]]
        if section.level > 1:
            name = field_name(section.name)
            if name is not None:
                yield _field(name, "", texts, section.heading)
        elif same_name(section.name, "Task"):
            # A label in a fence or a comment is an example.
            hidden = [kind is Kind.HIDDEN for kind in kinds[section.heading : section.end]]
            yield from _labelled(texts[1:], hidden[1:], section.heading + 1)


def _labelled(texts: list[str], hidden: list[bool], first: int) -> Iterator[Field]:
    begun: tuple[str, str, int] | None = None
    for at, text in enumerate(texts):
        label = None if hidden[at] else _LABEL.fullmatch(text)
        name = field_name(label[1]) if label else None
        if label is not None and name is not None:
            if begun is not None:
                yield _field(begun[0], begun[1], texts[begun[2] : at], first + begun[2])
            begun = name, label[2], at
    if begun is not None:
        yield _field(begun[0], begun[1], texts[begun[2] :], first + begun[2])


def _field(name: str, value: str, texts: list[str], first: int) -> Field:
    while texts and not texts[-1].strip():
        texts = texts[:-1]
    items = [value.strip()] if value.strip() else []
    spans = [range(first, first + 1)] if items else []
    goes_on = bool(items)
    for at, text in enumerate(texts[1:], first + 1):
        bullet = _BULLET.fullmatch(text)
        if bullet is None and text.strip() and goes_on:
            items[-1] = f"{items[-1]} {text.strip()}"
            spans[-1] = range(spans[-1].start, at + 1)
        elif bullet is not None or text.strip():
            items.append((bullet[1] if bullet is not None else text).strip())
            spans.append(range(at, at + 1))
        goes_on = bool(text.strip()) and bool(items)
    said = [at for at, item in enumerate(items) if item]
    return Field(name, tuple(texts), tuple(items[at] for at in said), tuple(spans[at] for at in said))
