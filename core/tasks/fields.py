"""What a task says: the labelled parts under ``# Task``, or sections of the same names where people made such.

::

    # Task
    Title: Send the weekly report
    Goal: Ann has the report of this week.
    SuccessCriteria:
    - "Message sent" is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.tasks.heartbeat_sections import Kind, kinds_of, lines_of, same_name, sections_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from core.tasks.heartbeat import Heartbeat

FIELDS: Final = (
    "Title",
    "Goal",
    "AppsObserved",
    "PreferredDemonstratedApproach",
    "ExecutionPolicy",
    "HardConstraints",
    "SuccessCriteria",
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
