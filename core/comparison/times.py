"""What came later, and what came in another order."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from core.comparison.texts import are_near, doubtful, quoted, sightings_of, standing_at, touch
from core.comparison.values import Difference, DifferenceKind
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.analysis import Sighting
    from core.comparison.values import Patch, ScreenPair, Seen

SLOWER: Final = 1.3
"""Two runs whose times differ by a tenth each way differ by less."""
LEAST_MS: Final = 500
_STANDS_OUT_MS: Final = 250
"""Pages of a machine that does something else come later by nearly as much."""
_STANDS_OUT: Final = 3.0
"""Times as much as any other step differs either way: then less than half a second is told as well."""
_OTHERS: Final = 3
_NAMED: Final = 3
_BEGINNING_MS: Final = 500
_FIRST_PAGE_MS: Final = 800
"""So long the first page stands, or moves in step in both runs; how it loads is the recording's beginning."""
_IN_STEP_MS: Final = 120
_APART_MS: Final = 500
"""What a page shows within less may come in any order while it loads."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


class _Step(NamedTuple):
    """From one pair of screens to the next, as each run took it."""

    after: ScreenPair
    good_ms: int
    bad_ms: int


def slower(pairs: Sequence[ScreenPair]) -> list[Difference]:
    """The first step between two screens that took longer, with how many more did."""
    steps = _steps(pairs)
    pace = tempo(pairs)
    slow = [step for place, step in enumerate(steps) if _is_slow(steps, place, pace)]
    if not slow:
        return []
    pair, good_ms, bad_ms = slow[0]
    further = f" {len(slow) - 1} later ones took longer too." if len(slow) > 1 else ""
    return [
        Difference(
            kind=DifferenceKind.SLOWER,
            good_ms=pair.good.t_ms,
            bad_ms=pair.bad.t_ms,
            description=f"Slower from {clock(pair.bad.begun - bad_ms)} on: the next screen came after "
            f"{_seconds(bad_ms)} s instead of {_seconds(good_ms)} s.{further}",
        )
    ]


def _steps(pairs: Sequence[ScreenPair]) -> list[_Step]:
    """Those after the first page has come."""
    first = next((place for place in range(len(pairs)) if _is_there(pairs[place:])), len(pairs))
    steps = [
        _Step(after, after.good.begun - before.good.begun, after.bad.begun - before.bad.begun)
        for before, after in itertools.pairwise(pairs[first:])
    ]
    if steps and min(pairs[first].good.begun, pairs[first].bad.begun) < _BEGINNING_MS:
        steps[:1] = _first_steps(pairs[first], steps[0])
    return steps


def _is_there(pairs: Sequence[ScreenPair]) -> bool:
    """Whether the first of these is a page that stands, or that goes on alike in both runs, as a chart does."""
    page = pairs[0]
    if min(page.good.until_ms - page.good.t_ms, page.bad.until_ms - page.bad.t_ms) >= _FIRST_PAGE_MS:
        return True
    for pair in pairs[1:]:
        good_ms, bad_ms = pair.good.t_ms - page.good.t_ms, pair.bad.t_ms - page.bad.t_ms
        if min(good_ms, bad_ms) >= _FIRST_PAGE_MS:
            return True
        if abs(good_ms - bad_ms) > _IN_STEP_MS:
            break
    return False


def _first_steps(page: ScreenPair, step: _Step) -> list[_Step]:
    """The step from a page that came as the recording began: what it took longer for sure; none where that is unknown.

    How the page loads is no step, so the next screen must come later after the page, and later in the recording.
    """
    if 0 in (page.good.t_ms, page.bad.t_ms):
        return []
    later = step.after.bad.begun - step.after.good.begun
    return [step._replace(bad_ms=step.good_ms + min(step.bad_ms - step.good_ms, later))]


def tempo(pairs: Sequence[ScreenPair]) -> float:
    """How many times as long the bad run's steps take in general, at least 1: a slower machine slows them all."""
    steps = _steps(pairs)
    if len(steps) < _OTHERS:
        return 1.0
    return max(1.0, statistics.median_low(step.bad_ms / max(step.good_ms, 1) for step in steps))


def _is_slow(steps: Sequence[_Step], place: int, pace: float) -> bool:
    step = steps[place]
    if step.bad_ms < step.good_ms * pace * SLOWER:
        return False
    excesses = [each.bad_ms - each.good_ms * pace for each in steps]
    # What the step before or after makes up for was a hitch of the recording, or a screen that settled elsewhere.
    around = [*excesses[max(place - 1, 0) : place], *excesses[place + 1 : place + 2]]
    lasting = excesses[place] + min(0, *around) if around else excesses[place]
    others = sorted(abs(each) for number, each in enumerate(excesses) if number != place)
    is_long = lasting >= max(LEAST_MS, excesses[place] / 2)
    if len(others) < _OTHERS:
        return is_long
    if is_long:
        return lasting > _STANDS_OUT * statistics.median_low(others)
    return lasting >= _STANDS_OUT_MS and lasting > _STANDS_OUT * others[-1]


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.1f}" if ms >= LEAST_MS else f"{ms / 1000:.2f}"


def order_differences(good: Seen, bad: Seen, mask: Callable[[str], str]) -> list[Difference]:
    """The first text that came before another one which it followed in the good run, each at its own place."""
    before, after = _once(sightings_of(good), mask), _once(sightings_of(bad), mask)
    # The same word elsewhere may be of another page.
    same = [text for text in before.keys() & after.keys() if _is_same_place(before[text], after[text])]
    shared = sorted(same, key=lambda text: (before[text].t_ms, text))
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


def moved_difference(good: Seen, places: Sequence[Patch]) -> list[Difference]:
    """A screen that came sooner or later than in the good run, named by what only it shows."""
    texts = [
        each for place in places for each in standing_at(sightings_of(good), place.good_ms, place.region)
        if not doubtful(each)
    ]  # fmt: skip
    if not places or not texts:
        return []
    words = list(dict.fromkeys(quoted(each.text) for each in texts))[:_NAMED]
    return [
        Difference(
            kind=DifferenceKind.ORDER,
            good_ms=places[0].good_ms,
            bad_ms=places[0].bad_ms,
            good=texts[0].text,
            bad=texts[0].text,
            region=texts[0].region,
            description=f"The screen with {' and '.join(words)} stood at {clock(places[0].bad_ms)}, out of its order: "
            f"in the good run it stood at {clock(places[0].good_ms)}.",
        )
    ]


def _once(sightings: Sequence[Sighting], mask: Callable[[str], str]) -> dict[str, Sighting]:
    """The texts that came once, after the first screen, and were read well and for the first time."""
    counts = Counter(mask(each.text) for each in sightings)
    came = (each for each in sightings if counts[mask(each.text)] == 1 and each.t_ms > 0 and not doubtful(each))
    return {mask(each.text): each for each in came if not _was_read_before(each, sightings)}


def _was_read_before(one: Sighting, sightings: Sequence[Sighting]) -> bool:
    """Whether some of its words stood at its place already: a bar of every page, of which more is read at times."""
    words = set(_WORD.findall(one.text.casefold()))
    return any(
        other.t_ms < one.t_ms
        and other.region is not None
        and one.region is not None
        and touch(other.region, one.region)
        and not words.isdisjoint(_WORD.findall(other.text.casefold()))
        for other in sightings
    )


def _is_same_place(one: Sighting, other: Sighting) -> bool:
    return one.region is None or other.region is None or are_near(one.region, other.region)
