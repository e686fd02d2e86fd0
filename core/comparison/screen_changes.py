"""Many texts that differ on one screen are one difference: the screen is another one, or lacks a part."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final

from core.comparison.texts import alone, doubtful, quoted, sightings_of, stood_between
from core.comparison.values import LASTS_MS, Difference, DifferenceKind
from core.comparison.varying import folded
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from core.analysis import Sighting
    from core.comparison.values import ScreenPair, Seen

_MANY: Final = 4
_NAMED: Final = 3

_Place = tuple[int, bool]
"""How many pairs of screens came by then, and whether it is in the last of them or between it and the next."""


def merged(
    found: Sequence[Difference], pairs: Sequence[ScreenPair], runs: tuple[Seen, Seen], mask: Callable[[str], str]
) -> list[Difference]:
    """The differences, with those of many texts on one screen as one."""
    changed = {text for each in found if each.good and each.bad for text in (each.good, each.bad)}
    answer = [each for each in found if (each.good and each.bad) or (each.good or each.bad) not in changed]
    groups: dict[_Place, list[Difference]] = {}
    for each in answer:
        if each.good != each.bad:
            groups.setdefault(_place(each, pairs), []).append(each)
    for place, group in groups.items():
        if place[1] and not _are_most(group, runs):
            continue
        one = _merged(group, _only_between(pairs, place, runs, mask), runs)
        if one is not None:
            answer = [each for each in answer if each not in group]
            answer.append(one)
    return answer


def _place(difference: Difference, pairs: Sequence[ScreenPair]) -> _Place:
    if difference.kind is DifferenceKind.GONE:
        stays, t_ms = [pair.good for pair in pairs], difference.good_ms
    else:
        stays, t_ms = [pair.bad for pair in pairs], difference.bad_ms
    came = bisect.bisect_right(stays, t_ms, key=lambda stay: stay.t_ms)
    return came, came > 0 and t_ms < stays[came - 1].until_ms


def _are_most(group: Sequence[Difference], runs: tuple[Seen, Seen]) -> bool:
    """Whether at least half of a screen's texts are others: fewer are changes on the same screen."""
    first = group[0]
    return any(
        2 * sum(bool(text) for text in texts) >= len(stood_between(sightings_of(run), t_ms, t_ms + 1))
        for run, t_ms, texts in (
            (runs[0], first.good_ms, [each.good for each in group]),
            (runs[1], first.bad_ms, [each.bad for each in group]),
        )
    )


def _only_between(
    pairs: Sequence[ScreenPair], place: _Place, runs: tuple[Seen, Seen], mask: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """What each run alone showed between two pairs: of a page that never stands still there is no settled screen."""
    came, is_paired = place
    if is_paired or not 0 < came < len(pairs):
        return [], []
    before, after = pairs[came - 1], pairs[came]
    good, bad = (sightings_of(run) for run in runs)
    there = (
        stood_between(good, before.good.until_ms, after.good.t_ms),
        stood_between(bad, before.bad.until_ms, after.bad.t_ms),
    )
    return _unknown(there[0], bad, mask), _unknown(there[1], good, mask)


def _unknown(these: Iterable[Sighting], those: Iterable[Sighting], mask: Callable[[str], str]) -> list[str]:
    known = {folded(mask(each.text)) for each in those}
    return [
        each.text
        for each in these
        if not doubtful(each)
        and (each.until_ms is None or each.until_ms - each.t_ms >= LASTS_MS)
        and folded(mask(each.text)) not in known
    ]


def _merged(
    group: Sequence[Difference], further: tuple[list[str], list[str]], runs: tuple[Seen, Seen]
) -> Difference | None:
    gone, new = [each.good for each in group if each.good], [each.bad for each in group if each.bad]
    if max(len(gone), len(new)) < _MANY:
        return None
    gone, new = _by_size([*gone, *further[0]], runs[0]), _by_size([*new, *further[1]], runs[1])
    good_ms = next((each.good_ms for each in group if each.good), group[0].good_ms)
    bad_ms = next((each.bad_ms for each in group if each.bad), group[0].bad_ms)
    if gone and new:
        words = f"Another screen stood at {clock(bad_ms)}: it shows {_listed(new)}, not {_listed(gone)}."
        kind = DifferenceKind.CHANGED
    else:
        kind = DifferenceKind.NEW if new else DifferenceKind.GONE
        words = f"{_listed(new or gone)} {alone(kind, good_ms, bad_ms, many=True)}."
    return Difference(
        kind=kind,
        good_ms=good_ms,
        bad_ms=bad_ms,
        good=gone[0] if gone else None,
        bad=new[0] if new else None,
        description=words,
    )


def _by_size(texts: Sequence[str], run: Seen) -> list[str]:
    """The texts, once each; headings first, since they name a screen."""
    heights: dict[str, int] = {}
    for each in sightings_of(run):
        if each.region is not None:
            heights[each.text] = max(each.region[3], heights.get(each.text, 0))
    return sorted(dict.fromkeys(texts), key=lambda text: -heights.get(text, 0))


def _listed(texts: Sequence[str]) -> str:
    words = ", ".join(quoted(each) for each in texts[:_NAMED])
    further = len(texts) - _NAMED
    return f"{words} and {further} further text{'s' if further > 1 else ''}" if further > 0 else words
