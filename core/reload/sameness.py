"""Whether a request is the recorded one, its slots filled anew: the only match that may be replayed by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.reload.entry import MAX_REQUEST, SlotKind
from core.reload.requests import relative_day, spoken
from core.reload.shapes import has_script, has_shape
from core.reload.templates import Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.entry import Slot
    from core.reload.templates import Template

_MARK: Final = 0xE000
"""A character of Unicode's private use area stands for each place while a wording is read."""
_MOST_PLACES: Final = 1000
_MARKS: Final = re.compile(f"([{chr(_MARK)}-{chr(_MARK + _MOST_PLACES)}])")
_FIRST_WORD: Final = re.compile(r"^[^\W\d_]+")
_QUOTED: Final = r'[^"\n]{1,300}'


def same_values(recorded: Sequence[Template], slots: Sequence[Slot], asked: str) -> dict[str, str] | None:
    """The values of all slots for a request that is one of these wordings; ``None`` for every other request.

    The words are the recorded ones, in their order. Only politeness, white space and the case of the first word may
    differ, and values of slots that may take others, where each new value has the shape of the recorded one or stood in
    quotation marks before. Two wordings that lead to different values are no match.

    Args:
        recorded: the wordings of an entry.
        slots: of the entry.
        asked: the request.

    """
    if len(asked) > MAX_REQUEST:
        return None
    text = spoken(asked)
    found = [values for wording in recorded if (values := _values(wording, slots, text)) is not None]
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
    """What fits a wording, and its places in order: which slot, and whether it stands in quotation marks."""
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
