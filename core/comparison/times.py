"""What came later, and what came in another order."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Final

from core.comparison.texts import DOUBT, quoted, sightings_of
from core.comparison.values import Difference, DifferenceKind
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.analysis import Sighting
    from core.comparison.values import ScreenPair, Seen

SLOWER: Final = 1.3
"""Two runs whose times differ by a tenth each way differ by less."""
LEAST_MS: Final = 500
_BEGINNING_MS: Final = 500
"""When a recording begins says nothing of the program."""
_APART_MS: Final = 400


def slower(pairs: Sequence[ScreenPair]) -> list[Difference]:
    """The first step between two screens that took longer, with how many more did."""
    slow: list[tuple[ScreenPair, int, int]] = []
    for place, (before, after) in enumerate(itertools.pairwise(pairs)):
        if min(before.good.t_ms, before.bad.t_ms) < _BEGINNING_MS:
            continue
        took = after.good.t_ms - before.good.t_ms, after.bad.t_ms - before.bad.t_ms
        # What the next screen makes up for was a hitch of the recording.
        later = pairs[min(place + 2, len(pairs) - 1)]
        lasting = (later.bad.t_ms - before.bad.t_ms) - (later.good.t_ms - before.good.t_ms)
        if took[1] > took[0] * SLOWER and min(took[1] - took[0], lasting) >= LEAST_MS:
            slow.append((after, *took))
    if not slow:
        return []
    pair, good_ms, bad_ms = slow[0]
    further = f" {len(slow) - 1} later ones took longer too." if len(slow) > 1 else ""
    return [
        Difference(
            kind=DifferenceKind.SLOWER,
            good_ms=pair.good.t_ms,
            bad_ms=pair.bad.t_ms,
            description=f"Slower from {clock(pair.bad.t_ms - bad_ms)} on: the next screen came after "
            f"{bad_ms / 1000:.1f} s instead of {good_ms / 1000:.1f} s.{further}",
        )
    ]


def order_differences(good: Seen, bad: Seen, mask: Callable[[str], str]) -> list[Difference]:
    """The first text that came before another one which it followed in the good run."""
    before, after = _once(sightings_of(good), mask), _once(sightings_of(bad), mask)
    shared = sorted(before.keys() & after.keys(), key=lambda text: before[text].t_ms)
    for place, text in enumerate(shared):
        for later in shared[place + 1 :]:
            there = before[later].t_ms - before[text].t_ms
            here = after[text].t_ms - after[later].t_ms
            if min(there, here) >= _APART_MS:
                return [
                    Difference(
                        kind=DifferenceKind.ORDER,
                        good_ms=before[later].t_ms,
                        bad_ms=after[later].t_ms,
                        good=before[later].text,
                        bad=after[later].text,
                        region=after[later].region,
                        description=f"{quoted(after[later].text)} came at {clock(after[later].t_ms)}, before "
                        f"{quoted(after[text].text)}; in the good run it came after it.",
                    )
                ]
    return []


def _once(sightings: Sequence[Sighting], mask: Callable[[str], str]) -> dict[str, Sighting]:
    """The texts that came once, after the first screen, and were read well."""
    counts = Counter(mask(each.text) for each in sightings)
    return {
        key: each
        for each in sightings
        if counts[key := mask(each.text)] == 1 and each.t_ms > 0 and each.confidence >= DOUBT
    }
