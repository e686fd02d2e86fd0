"""Whether a request asks for what was recorded, and with which values: word by word, and rather not than wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from core.reload.entry import MAX_REQUEST, SlotKind
from core.reload.matching.clauses import clauses_of, clauses_of_template
from core.reload.matching.cues import told_by_cues
from core.reload.matching.phrases import Refused, bound, passing_day
from core.reload.matching.replacements import replacement
from core.reload.matching.words import plain, squeezed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.entry import Slot
    from core.reload.matching.phrases import Binding
    from core.reload.offers import Match
    from core.reload.templates import Template

_ORDER: Final = ("exact", "similar", "rebound")


class Alignment(NamedTuple):
    """What a request says of a recorded one."""

    match: Match | None
    """``None`` when it is not the same."""
    values: dict[str, str]
    """Those slots' values that are not as recorded, by name."""
    rebound: dict[str, str]
    """Recorded value to the new one, to be shown."""
    reason: str
    """Why it matches, or why not, in a sentence."""


_EXACT: Final = Alignment("exact", {}, {}, "The same request with the same values.")


def align(recorded: Template, slots: Sequence[Slot], asked: str) -> Alignment:
    """Compare a request with a recorded wording.

    Args:
        recorded: the wording, with places for values.
        slots: of its entry.
        asked: the request.

    """
    values = {slot.name: slot.value for slot in slots if slot.value is not None and slot.kind is SlotKind.VALUE}
    try:
        return _aligned(recorded, slots, values, asked)
    except Refused as refused:
        return _refused(refused.reason)


def best(recorded: Sequence[Template], slots: Sequence[Slot], asked: str) -> Alignment:
    """The most certain alignment with one of several wordings; none when two of them disagree on the values."""
    found = [align(wording, slots, asked) for wording in recorded]
    matches = sorted((each for each in found if each.match), key=lambda each: _ORDER.index(each.match or "rebound"))
    if not matches:
        return found[0] if found else _refused("It was recorded without a request.")
    if matches[0].match != "exact" and any(each.values != matches[0].values for each in matches):
        return _refused("The request can be understood with different values.")
    return matches[0]


def _aligned(recorded: Template, slots: Sequence[Slot], values: Mapping[str, str], asked: str) -> Alignment:
    if len(asked) > MAX_REQUEST:
        raise Refused(f"The request is longer than {MAX_REQUEST} characters.")
    if day := passing_day(clauses_of_template(recorded, values)):
        raise Refused(f'"{day}" is another day by now.')
    same = _sameness(recorded, values, asked)
    if same == "letters":
        return _EXACT
    try:
        changed = _changed(recorded, values, asked, {})
    except Refused:
        rest, told = told_by_cues(asked, [slot for slot in slots if slot.name not in recorded.slots])
        if not told:
            raise
        changed = _changed(recorded, values, rest, told)
    return _EXACT if same and not changed else _decided(changed, slots, values)


def _sameness(recorded: Template, values: Mapping[str, str], asked: str) -> Literal["letters", "words", ""]:
    """Whether it reads the same letter by letter, or but for the case of letters."""
    one, other = squeezed(recorded.filled(values)), squeezed(asked)
    return "letters" if one == other else "words" if plain(one) == plain(other) else ""


def _changed(recorded: Template, values: Mapping[str, str], asked: str, told: dict[str, str]) -> dict[str, str]:
    """The values that are not as recorded; raises ``Refused``."""
    complex_ones = tuple(sorted({each for each in values.values() if _is_complex(each) and each in asked}))
    bindings = bound(clauses_of_template(recorded, values), clauses_of(asked, complex_ones), asked)
    found: dict[str, str | None] = dict(told)
    for binding in bindings:
        new = _value(binding, values)
        if binding.slot in found and found[binding.slot] != new:
            raise Refused(f'"{values.get(binding.slot, binding.slot)}" stands there twice and became two values.')
        found[binding.slot] = new
    return {slot: value for slot, value in found.items() if value is not None}


def _value(binding: Binding, values: Mapping[str, str]) -> str | None:
    """What a slot gets; ``None`` for what it had."""
    old = values.get(binding.slot)
    if old is None:
        if binding.raw == f"{{{binding.slot}}}":
            return None
        raise Refused(f"What stands for {binding.slot} is not taken from words.")
    new = replacement(old, binding.raw, binding.words, binding.where, known=values.values())
    if new.refusal:
        raise Refused(f"{new.refusal[:1].upper()}{new.refusal[1:]}.")
    return new.value


def _decided(changed: dict[str, str], slots: Sequence[Slot], values: Mapping[str, str]) -> Alignment:
    shown: dict[str, str] = {}
    for slot in slots:
        if slot.name not in changed:
            continue
        new, old = changed[slot.name], values.get(slot.name, "")
        if not slot.rebinds:
            raise Refused(f'"{old}" became "{new}", but it was picked by its picture, not typed.')
        if shown.get(old, new) != new:
            raise Refused(f'"{old}" is the value of two slots and became two values.')
        shown[old] = new
    if not changed:
        return Alignment("similar", {}, {}, "Other words for the same, with the same values.")
    told = ", ".join(f'"{new}" instead of "{old}"' for old, new in shown.items())
    return Alignment("rebound", changed, shown, f"The same with {told}.")


def _is_complex(value: str) -> bool:
    return not value.isalnum()


def _refused(reason: str) -> Alignment:
    return Alignment(None, {}, {}, reason)
