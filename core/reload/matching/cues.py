"""Values that a request gives by the names of their slots: "with recipient Grace Hopper", "city = Oslo"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.reload.entry import SlotKind
from core.reload.matching.clauses import values_of
from core.reload.matching.phrases import Refused
from core.reload.matching.replacements import Where, replacement
from core.reload.matching.vocabulary import COORDINATORS, PREPOSITIONS
from core.reload.matching.words import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.reload.entry import Slot
    from core.reload.matching.words import Token

_BEFORE: Final = frozenset({"with", "and", "the", "a", "an", "using", "where", "set", ","})
_BEHIND: Final = frozenset({"is", "=", ":", "of", "as", "to", "being"})
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-\s.]+")


class _Cue(NamedTuple):
    slot: Slot
    start: int
    """Of the words that lead to it."""
    value: int
    """The index of the first word behind it."""


def told_by_cues(asked: str, slots: Sequence[Slot]) -> tuple[str, dict[str, str]]:
    """What is left of a request without its cues, and the values that they give; both empty without any.

    Raises ``Refused`` when what stands behind a cue cannot be its value.
    """
    if not slots:
        return "", {}
    words = tokens(asked)
    cues = _cues(words, [slot for slot in slots if slot.kind is SlotKind.VALUE])
    told: dict[str, str] = {}
    kept, at = "", 0
    for index, cue in enumerate(cues):
        limit = cues[index + 1].start if index + 1 < len(cues) else len(words)
        end = _end(words, cue.value, limit)
        if end == cue.value:
            raise Refused(f"Nothing stands behind {cue.slot.name}.")
        if cue.slot.name in told:
            raise Refused(f"{cue.slot.name} is given twice.")
        told[cue.slot.name] = _given(cue.slot, words[cue.value : end], asked)
        kept += asked[at : words[cue.start].start] + " "
        last = words[end - 1]
        at = last.end + (asked[last.end : last.end + 1] in {'"', "'", "”", "`"} and last.literal)
    return (kept + asked[at:], told) if told else ("", {})


def _given(slot: Slot, words: Sequence[Token], asked: str) -> str:
    raw = words[0].raw if len(words) == 1 else asked[words[0].start : words[-1].end]
    if slot.value is None:
        return raw
    values = (words[0],) if len(words) == 1 and words[0].literal else values_of(raw)
    new = replacement(
        slot.value, raw, values, Where(alone=True, free=False, determined=False, head="to", measured=False)
    )
    if new.refusal:
        raise Refused(f"{new.refusal[:1].upper()}{new.refusal[1:]}.")
    return slot.value if new.value is None else new.value


def _cues(words: Sequence[Token], slots: Sequence[Slot]) -> list[_Cue]:
    names = sorted(
        ((tuple(part.casefold() for part in _CAMEL.split(slot.name) if part), slot) for slot in slots),
        key=lambda each: len(each[0]),
        reverse=True,
    )
    found: list[_Cue] = []
    at = 0
    while at < len(words):
        cue = next((cue for name, slot in names if (cue := _cue(words, at, name, slot))), None)
        if cue is None:
            at += 1
        else:
            found.append(cue)
            at = max(cue.value, at + 1)
    return found


def _cue(words: Sequence[Token], at: int, name: tuple[str, ...], slot: Slot) -> _Cue | None:
    told = tuple(word.plain for word in words[at : at + len(name)])
    if name and told == name:
        behind = at + len(name)
    elif words[at].plain == slot.name.casefold():
        behind = at + 1
    else:
        return None
    if any(word.literal or word.role for word in words[at:behind]):
        return None
    start = at
    while start and words[start - 1].plain in _BEFORE and not words[start - 1].literal:
        start -= 1
    while behind < len(words) and words[behind].plain in _BEHIND and not words[behind].literal:
        behind += 1
    return _Cue(slot, start, behind)


def _end(words: Sequence[Token], start: int, limit: int) -> int:
    """Behind the last word of the value that begins there."""
    end = start
    while end < limit:
        word = words[end]
        if word.kind in {"comma", "stop"}:
            break
        if not word.literal and word.kind == "word" and word.plain in (PREPOSITIONS | COORDINATORS):
            break
        end += 1
    return end
