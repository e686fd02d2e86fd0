"""What both runs showed around a moment: whether a screen was only late, or still coming."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final

from core.comparison.texts import is_read, standing_at, stood_between
from core.comparison.values import LASTS_MS
from core.comparison.varying import SIGN, folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.analysis import Sighting
    from core.comparison.values import Patch, ScreenPair

_KEPT: Final = 0.7
_COMING_MS: Final = 300
"""How long a page may stand without all that belongs to it."""


class Runs:
    """The texts of two runs in their time.

    Args:
        good: those of the run that is as it should be.
        bad: those of the run that is asked about.
        mask: replaces the values that differ from run to run.
        pairs: the screens that were held side by side, in their order.

    """

    def __init__(
        self,
        good: Sequence[Sighting],
        bad: Sequence[Sighting],
        mask: Callable[[str], str],
        pairs: Sequence[ScreenPair],
    ) -> None:
        self.good, self.bad = good, bad
        self._mask = mask
        self._pairs = pairs

    def key(self, text: Sighting) -> str:
        """What is the same of two texts that say the same."""
        return folded(self._mask(text.text))

    def words(self, texts: Sequence[Sighting]) -> list[str]:
        """What is read there, in whatever pieces it is."""
        return sorted(
            filter(None, (folded(word) for each in texts for word in self._mask(each.text).replace(SIGN, " ").split()))
        )

    def around(self, patch: Patch) -> tuple[set[str], set[str]]:
        """What stood in each run from the pair before to the pair after: only what did not is missing, or new."""
        if not self._pairs:
            return set(), set()
        place = self._came(patch) - 1
        first, last = self._pairs[max(place - 1, 0)], self._pairs[min(place + 1, len(self._pairs) - 1)]
        here = stood_between(self.good, first.good.t_ms, last.good.until_ms)
        there = stood_between(self.bad, first.bad.t_ms, last.bad.until_ms)
        return {self.key(each) for each in here}, {self.key(each) for each in there}

    def is_half_drawn(self, patch: Patch) -> bool:
        """Whether one run's screen goes on to show what the other run's showed with all the rest at once."""
        return any(self._completed(patch))

    def is_half_drawn_alone(self, patch: Patch) -> bool:
        """The same of a screen that has no partner, where the other run shows something else in that time, too.

        A half-drawn page of the other run may lack what this one has alone as long as it stands, and no longer.
        """
        then = self._then(patch)
        if then is None:
            return False
        last = self._pairs[self._came(patch) - 1]
        begin, end = (last.good.until_ms, then[0]) if patch.side == "bad" else (last.bad.until_ms, then[1])
        moment = {"good_ms" if patch.side == "bad" else "bad_ms": (begin + end) // 2}
        of_good, of_bad = self._completed(patch.model_copy(update=moment))
        own, other = (of_bad, of_good) if patch.side == "bad" else (of_good, of_bad)
        return end - begin >= LASTS_MS and (own or (other and end - begin >= patch.lasted_ms))

    def is_coming(self, patch: Patch) -> bool:
        """Whether a lone screen is the first look, for a moment, of a page that the next pair shows as a whole."""
        then, place = self._then(patch), self._came(patch)
        if then is None or patch.lasted_ms >= _COMING_MS:
            return False
        last = self._pairs[place - 1]
        run, now_ms, last_ms, then_ms = (
            (self.bad, patch.bad_ms, last.bad.t_ms, then[1])
            if patch.side == "bad"
            else (self.good, patch.good_ms, last.good.t_ms, then[0])
        )
        now = self._keys_at(run, now_ms)
        return _keeps(now, self._keys_at(run, then_ms)) and not _keeps(now, self._keys_at(run, last_ms))

    def is_made_up_for(self, patch: Patch) -> bool:
        """Whether both runs show the same there with the next pair, so that one of them may only have been late."""
        then = self._then(patch)
        if then is None:
            return False
        good, bad = (
            standing_at(texts, t_ms, patch.region) for texts, t_ms in zip((self.good, self.bad), then, strict=True)
        )
        return self.words(good) == self.words(bad)

    def _completed(self, patch: Patch) -> tuple[bool, bool]:
        """Whether the good run's screen, and the bad run's, gets by the next pair what the other had all the while."""
        then = self._then(patch)
        if then is None:
            return False, False
        now = self._keys_at(self.good, patch.good_ms), self._keys_at(self.bad, patch.bad_ms)
        later = self._keys_at(self.good, then[0]), self._keys_at(self.bad, then[1])
        # What stands on every page says nothing about this one.
        frame = now[0] & now[1] & later[0] & later[1]
        good, bad, good_then, bad_then = (each - frame for each in (*now, *later))
        return _completes(good, good_then, bad & bad_then), _completes(bad, bad_then, good & good_then)

    def _came(self, patch: Patch) -> int:
        """How many pairs of screens had come by then."""
        return bisect.bisect_right(self._pairs, patch.bad_ms, key=lambda pair: pair.bad.t_ms)

    def _then(self, patch: Patch) -> tuple[int, int] | None:
        """When the next pair came, or what stood last as the recordings ended."""
        place = self._came(patch)
        if not place:
            return None
        if place < len(self._pairs):
            return self._pairs[place].good.t_ms, self._pairs[place].bad.t_ms
        return self._pairs[-1].good.until_ms, self._pairs[-1].bad.until_ms

    def _keys_at(self, sightings: Sequence[Sighting], t_ms: int) -> set[str]:
        return {self.key(each) for each in stood_between(sightings, t_ms, t_ms + 1) if is_read(each)}


def _completes(now: set[str], then: set[str], others: set[str]) -> bool:
    """Whether a screen kept most of its texts, and got such as the other run had by then."""
    return _keeps(now, then) and bool((then - now) & others)


def _keeps(now: set[str], then: set[str]) -> bool:
    return len(now & then) >= _KEPT * len(now)
