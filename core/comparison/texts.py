"""The texts of two runs side by side: what stood at a place, and what stood in one run alone."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, Final

from core.comparison.values import Difference, DifferenceKind
from core.comparison.varying import folded
from core.narrative import clock
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.analysis import Region, Sighting
    from core.comparison.values import Seen, Standing

DOUBT: Final = 0.7
"""What was read with less is unclear."""
_ALIKE: Final = 0.6
READ_APART: Final = 8
"""Pixels."""
_FROM_EVENTS: Final = ("appeared", "changed", "typed", "navigated")


def sightings_of(seen: Seen) -> Sequence[Sighting]:
    """Every text with its time; without what was kept, those of the timeline."""
    from core.analysis import Sighting  # noqa: PLC0415 - for the events alone

    if seen.sightings is not None:
        return seen.sightings
    first = [Sighting(text=line, t_ms=0) for line in seen.analysis.first_screen]
    return [
        *first,
        *(
            Sighting(text=event.text, t_ms=event.t_ms, region=event.region, confidence=event.confidence)
            for event in seen.analysis.timeline
            if event.text and event.kind in _FROM_EVENTS
        ),
    ]


def completed(seen: Seen, standing: Sequence[Standing]) -> Seen:
    """The run with its texts standing as long as their places look so, where nothing else was read meanwhile."""
    if seen.sightings is None:
        return seen
    found = list(seen.sightings)
    for each in standing:
        text = seen.sightings[each.text]
        middle = (each.t_ms + each.until_ms) // 2
        if text.region is not None and not standing_at(found, middle, text.region):
            found.append(text.model_copy(update={"t_ms": each.t_ms, "until_ms": each.until_ms, "earlier": ()}))
    return seen._replace(sightings=tuple(found))


def standing_at(sightings: Sequence[Sighting], t_ms: int, region: Region) -> list[Sighting]:
    """The texts that stood at a place at a moment, top to bottom."""
    found: list[tuple[Region, Sighting]] = []
    for each in sightings:
        place = each.place_at(t_ms)
        if place is None or each.t_ms > t_ms or (each.until_ms is not None and each.until_ms <= t_ms):
            continue
        if touch(place, region):
            found.append((place, each))
    return [each for _, each in sorted(found, key=lambda one: (one[0][1], one[0][0]))]


def stood_between(sightings: Sequence[Sighting], begin_ms: int, end_ms: int) -> list[Sighting]:
    """The texts that stood at some moment of this time."""
    return [each for each in sightings if each.t_ms < end_ms and (each.until_ms is None or each.until_ms > begin_ms)]


def around(places: Sequence[Region]) -> Region:
    """The smallest place with all of them in it."""
    left, top = (min(place[side] for place in places) for side in (0, 1))
    right, bottom = (max(place[side] + place[side + 2] for place in places) for side in (0, 1))
    return left, top, right - left, bottom - top


def are_near(one: Region | None, other: Region | None) -> bool:
    """Whether the middles of two places are the same, but for what reading differs by."""
    if one is None or other is None:
        return False
    return all(
        abs(2 * one[side] + one[side + 2] - 2 * other[side] - other[side + 2]) <= 2 * READ_APART for side in (0, 1)
    )


def touch(line: Region, patch: Region) -> bool:
    """Whether two places have a part in common, in height at least half of the lower one."""
    across = min(line[0] + line[2], patch[0] + patch[2]) - max(line[0], patch[0])
    down = min(line[1] + line[3], patch[1] + patch[3]) - max(line[1], patch[1])
    return across > 0 and down >= min(line[3], patch[3]) / 2


def part_of(line: Region, begin: float, end: float) -> Region:
    """The part of a line between two shares of its width."""
    x, y, width, height = line
    return round(x + begin * width), y, round((end - begin) * width), height


def is_level(line: Region | None, patch: Region) -> bool:
    """Whether the middle of a line is at the height of a place, and not only its edge."""
    return line is not None and patch[1] <= line[1] + line[3] / 2 < patch[1] + patch[3]


def is_within(inner: Region, outer: Region | None) -> bool:
    """Whether one place lies in another, but for what reading differs by."""
    return outer is not None and all(
        outer[side] - READ_APART <= inner[side]
        and inner[side] + inner[side + 2] <= outer[side] + outer[side + 2] + READ_APART
        for side in (0, 1)
    )


def alike(one: str, other: str) -> float:
    """How much of two texts is the same, 0 to 1."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def quoted(text: str) -> str:
    """The text as a sentence quotes it."""
    line = one_line(text)
    return f'"{line if len(line) <= 120 else line[:119] + "…"}"'  # noqa: PLR2004 - a sentence's worth


def text_differences(
    good: Seen, bad: Seen, mask: Callable[[str], str]
) -> tuple[list[Difference], list[Difference], list[Difference]]:
    """What differs, what varies and what is unclear, by texts alone."""
    before, after = sightings_of(good), sightings_of(bad)
    found: list[Difference] = []
    unclear: list[Difference] = []
    lost, come = _only(before, after, mask), _only(after, before, mask)
    for text in lost:
        partner = max(come, key=lambda each: alike(each.text, text.text), default=None)
        if partner is not None and alike(partner.text, text.text) >= _ALIKE:
            come.remove(partner)
            said = changed(text.text, partner.text, text.t_ms, partner.t_ms, text.region)
            is_unclear = doubtful(text, partner) or folded(text.text) == folded(partner.text)
        else:
            said = one_sided(DifferenceKind.GONE, text.text, text.t_ms, text.t_ms, text.region)
            is_unclear = doubtful(text)
        (unclear if is_unclear else found).append(said)
    for text in come:
        said = one_sided(DifferenceKind.NEW, text.text, text.t_ms, text.t_ms, text.region)
        (unclear if doubtful(text) else found).append(said)
    return found, _varying(before, after, mask), unclear


def _only(these: Sequence[Sighting], those: Sequence[Sighting], mask: Callable[[str], str]) -> list[Sighting]:
    there = {mask(each.text).casefold() for each in those}
    return list({key: each for each in these if (key := mask(each.text).casefold()) not in there}.values())


def _varying(before: Sequence[Sighting], after: Sequence[Sighting], mask: Callable[[str], str]) -> list[Difference]:
    texts = Counter(each.text for each in before)
    by_mask = {mask(each.text): each for each in before}
    return [
        changed(twin.text, each.text, twin.t_ms, each.t_ms, each.region)
        for each in {each.text: each for each in after}.values()
        if each.text not in texts and (twin := by_mask.get(mask(each.text))) is not None
    ]


def is_read(text: Sighting) -> bool:
    """Whether it is more than one letter, which an icon may be read as."""
    return len(folded(text.text)) > 1


def doubtful(*texts: Sighting) -> bool:
    """Whether one of them was read too badly to be claimed."""
    return any(each.confidence < DOUBT or not is_read(each) for each in texts)


def changed(good: str, bad: str, good_ms: int, bad_ms: int, region: Region | None) -> Difference:
    """One text in place of another."""
    return Difference(
        kind=DifferenceKind.CHANGED,
        good_ms=good_ms,
        bad_ms=bad_ms,
        good=good,
        bad=bad,
        region=region,
        description=f"{quoted(good)} is now {quoted(bad)} (at {clock(bad_ms)}).",
    )


def alone(kind: DifferenceKind, good_ms: int, bad_ms: int, *, many: bool = False) -> str:
    """What is said of a text, or of many, of one run alone."""
    are, they = ("are", "they") if many else ("is", "it")
    if kind is DifferenceKind.NEW:
        return f"{are} new at {clock(bad_ms)}"
    return f"{are} missing; in the good run {they} stood there at {clock(good_ms)}"


def one_sided(kind: DifferenceKind, text: str, good_ms: int, bad_ms: int, region: Region | None) -> Difference:
    """A text of one run alone."""
    is_new = kind is DifferenceKind.NEW
    what = alone(kind, good_ms, bad_ms)
    return Difference(
        kind=kind,
        good_ms=good_ms,
        bad_ms=bad_ms,
        good=None if is_new else text,
        bad=text if is_new else None,
        region=region,
        description=f"{quoted(text)} {what}.",
    )
