"""Says in words what a place is whose pixels differ."""

from __future__ import annotations

import bisect
import difflib
from collections import Counter
from typing import TYPE_CHECKING, Final

from core.comparison.texts import (
    alike,
    are_near,
    around,
    changed,
    doubtful,
    is_level,
    is_read,
    is_within,
    one_sided,
    part_of,
    quoted,
    sightings_of,
    standing_at,
    stood_between,
)
from core.comparison.values import LASTS_MS, Difference, DifferenceKind
from core.comparison.varying import SIGN, folded
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.analysis import Region, Sighting
    from core.comparison.values import Patch, ScreenPair, Seen

_ALIKE: Final = 0.8
"""As much of two texts is the same where one of them may be a misread other one."""
_SMALL: Final = 20
"""Pixels: the side of what may be a pointer, a caret or noise."""
_RECOLOURED: Final = 28
"""Of 255: another background, where the texts of a place are not the same."""
_MOVED: Final = 12
"""Of 255: the same in the same colours, some pixels elsewhere, or letters there that were not read."""
_LINES: Final = 3
_FURTHER: Final = 3
"""So often a place grows by the lines that reach out of it."""
_KEPT: Final = 0.7
_COMING_MS: Final = 300
"""How long a page may stand without all that belongs to it."""


class Namer:
    """Takes the places one by one; the same difference is reported once, at its first moment.

    Args:
        good: the run that is as it should be.
        bad: the run that is asked about.
        mask: replaces the values that differ from run to run.
        pairs: the screens that were held side by side, in their order.

    """

    def __init__(self, good: Seen, bad: Seen, mask: Callable[[str], str], pairs: Sequence[ScreenPair] = ()) -> None:
        self._good, self._bad = sightings_of(good), sightings_of(bad)
        self._pairs = pairs
        self._mask = mask
        self._values_at: list[Region] = []
        """Where a value that differs from run to run was seen to differ."""
        self._reported: dict[tuple[object, ...], list[Difference]] = {}
        self.found: list[Difference] = []
        self.varying: list[Difference] = []
        self.unclear: list[Difference] = []

    def name(self, patch: Patch) -> None:
        """Tell of one place."""
        if patch.side == "both":
            self._pair(patch)
        else:
            self._single(patch)

    def _pair(self, patch: Patch) -> None:
        good = standing_at(self._good, patch.good_ms, patch.region)
        bad = standing_at(self._bad, patch.bad_ms, patch.region)
        is_half_drawn = self._is_half_drawn(patch)
        is_varying = self._is_varying(patch, good, bad)
        if [each.text for each in good] == [each.text for each in bad] and not is_varying:
            self._looks(patch, good, is_half_drawn=is_half_drawn)
            return
        before, after = self._without_varying(good, bad, patch)
        if is_varying:
            # What is read of lines that this one touches differs by the reading alone.
            before, after = [], []
        elif self._has_same_words(good, bad, patch):
            # The same, read in other pieces or with letters that look alike.
            twins = {self._key(each) for each in after}
            before = [text for text in before if self._key(text) in twins]
            after = after if before else []
        has_named = self._texts(patch, before, after, is_half_drawn)
        if not has_named and patch.recoloured >= _RECOLOURED:
            common = self._staying(good, bad, patch)
            if common or all(doubtful(each) for each in (*good, *bad)):
                self._looks(patch, common, is_half_drawn=is_half_drawn)

    def _staying(self, good: Sequence[Sighting], bad: Sequence[Sighting], patch: Patch) -> list[Sighting]:
        """The texts of the bad run that stand at the same place in the good one."""
        return [
            text
            for text in bad
            if any(
                self._mask(each.text) == self._mask(text.text)
                and are_near(each.place_at(patch.good_ms), text.place_at(patch.bad_ms))
                for each in good
            )
        ]

    def _without_varying(
        self, good: Sequence[Sighting], bad: Sequence[Sighting], patch: Patch
    ) -> tuple[list[Sighting], list[Sighting]]:
        """What one run alone has; values that differ from run to run are reported as such."""
        before, after = _without(good, bad), _without(bad, good)
        for text in tuple(before):
            twin = next((each for each in after if self._mask(each.text) == self._mask(text.text)), None)
            if twin is not None:
                before.remove(text)
                after.remove(twin)
                self._report(self.varying, changed(text.text, twin.text, patch.good_ms, patch.bad_ms, patch.region))
        return before, after

    def _is_varying(self, patch: Patch, good: Sequence[Sighting], bad: Sequence[Sighting]) -> bool:
        """Whether a place lies in the part of one line that differs from run to run, however the other run's was read.

        It may be read with its beginning cut off, or as a part of a line that it touches; or, where it stands on every
        page, not be read on this one.
        """
        if any(is_within(patch.region, each) and is_within(each, patch.region) for each in self._values_at):
            return True
        found = self._is_in_line(patch, good, bad)
        if found:
            self._values_at.append(patch.region)
        return found

    def _is_in_line(self, patch: Patch, good: Sequence[Sighting], bad: Sequence[Sighting]) -> bool:
        twins = any(
            one.text != other.text
            and self._mask(one.text) == self._mask(other.text)
            and is_within(patch.region, one.place_at(patch.good_ms))
            and is_within(patch.region, other.place_at(patch.bad_ms))
            for one in good
            for other in bad
        )
        return (
            twins
            or self._is_in_value(patch, good, bad, (patch.good_ms, patch.bad_ms))
            or self._is_in_value(patch, bad, good, (patch.bad_ms, patch.good_ms))
        )

    def _is_in_value(
        self, patch: Patch, these: Sequence[Sighting], those: Sequence[Sighting], moments: tuple[int, int]
    ) -> bool:
        """Whether a place lies in a value of one of these lines, and what stands there in the other run has one."""
        lines = [(each.text, line) for each in these if (line := each.place_at(moments[0])) is not None]
        spans = [part_of(line, *span) for text, line in lines for span in self._values(text)]
        level = [each for each in those if is_level(each.place_at(moments[1]), patch.region)]
        has_values = bool(level) and all(any(sign.isdigit() for sign in each.text) for each in level)
        return has_values and any(is_within(patch.region, span) for span in spans)

    def _values(self, text: str) -> list[tuple[float, float]]:
        """Where the values that differ from run to run stand in a text, as shares of its length."""
        kept = difflib.SequenceMatcher(None, text, self._mask(text), autojunk=False).get_opcodes()
        return [(begin / len(text), end / len(text)) for how, begin, end, _, _ in kept if how == "replace"]

    def _has_same_words(self, good: Sequence[Sighting], bad: Sequence[Sighting], patch: Patch) -> bool:
        """Whether the same is read there, or in the whole of the lines there: one run may read several as one."""
        place = patch.region
        for _ in range(1 + _FURTHER):
            if _are_same(self._words(good), self._words(bad)):
                return True
            lines = (*(each.place_at(patch.good_ms) for each in good), *(each.place_at(patch.bad_ms) for each in bad))
            whole = around([place, *(line for line in lines if line is not None)])
            if whole == place:
                break
            place = whole
            good = standing_at(self._good, patch.good_ms, place)
            bad = standing_at(self._bad, patch.bad_ms, place)
        return False

    def _words(self, texts: Sequence[Sighting]) -> list[str]:
        """What is read there, in whatever pieces it is."""
        return sorted(
            filter(None, (folded(word) for each in texts for word in self._mask(each.text).replace(SIGN, " ").split()))
        )

    def _texts(self, patch: Patch, before: list[Sighting], after: list[Sighting], is_half_drawn: bool) -> bool:
        """Tell which texts are others, and whether one of them was read well."""
        here, there = self._around(patch)
        named: list[Sighting] = []
        for text in before:
            twin = max(after, key=lambda each: alike(each.text, text.text), default=None)
            if twin is None:
                if self._key(text) not in there:
                    self._one_sided(DifferenceKind.GONE, text, patch, is_half_drawn=is_half_drawn)
                    named.append(text)
                continue
            after.remove(twin)
            known = self._key(text) in there, self._key(twin) in here
            is_swapped = self._swapped(text, twin, patch)
            if all(known) and not is_swapped:
                continue
            said = changed(text.text, twin.text, patch.good_ms, patch.bad_ms, patch.region)
            is_timing = any(known) and not is_swapped and self._is_made_up_for(patch)
            is_unclear = is_half_drawn or is_timing or folded(text.text) == folded(twin.text)
            self._report(self.unclear if is_unclear else self._by_doubt(text, twin), said)
            named += [text, twin]
        for text in after:
            if self._key(text) not in here:
                self._one_sided(DifferenceKind.NEW, text, patch, is_half_drawn=is_half_drawn)
                named.append(text)
        return not all(doubtful(each) for each in named)

    def _one_sided(self, kind: DifferenceKind, text: Sighting, patch: Patch, *, is_half_drawn: bool) -> None:
        said = one_sided(kind, text.text, patch.good_ms, patch.bad_ms, patch.region)
        self._report(self.unclear if is_half_drawn else self._by_doubt(text), said)

    def _is_half_drawn(self, patch: Patch) -> bool:
        """Whether one run's screen goes on to show what the other run's showed with all the rest at once."""
        then = self._then(patch)
        if then is None:
            return False
        now = self._keys_at(self._good, patch.good_ms), self._keys_at(self._bad, patch.bad_ms)
        later = self._keys_at(self._good, then[0]), self._keys_at(self._bad, then[1])
        # What stands on every page says nothing about this one.
        frame = now[0] & now[1] & later[0] & later[1]
        good, bad, good_then, bad_then = (each - frame for each in (*now, *later))
        return _completes(good, good_then, bad & bad_then) or _completes(bad, bad_then, good & good_then)

    def _is_half_drawn_alone(self, patch: Patch) -> bool:
        """The same of a screen that has no partner, where the other run shows something else in that time, too."""
        then = self._then(patch)
        if then is None:
            return False
        last = self._pairs[self._came(patch) - 1]
        begin, end = (last.good.until_ms, then[0]) if patch.side == "bad" else (last.bad.until_ms, then[1])
        moment = {"good_ms" if patch.side == "bad" else "bad_ms": (begin + end) // 2}
        return end - begin >= LASTS_MS and self._is_half_drawn(patch.model_copy(update=moment))

    def _is_coming(self, patch: Patch) -> bool:
        """Whether a lone screen is the first look, for a moment, of a page that the next pair shows as a whole."""
        then, place = self._then(patch), self._came(patch)
        if then is None or patch.lasted_ms >= _COMING_MS:
            return False
        last = self._pairs[place - 1]
        run, now_ms, last_ms, then_ms = (
            (self._bad, patch.bad_ms, last.bad.t_ms, then[1])
            if patch.side == "bad"
            else (self._good, patch.good_ms, last.good.t_ms, then[0])
        )
        now = self._keys_at(run, now_ms)
        return _keeps(now, self._keys_at(run, then_ms)) and not _keeps(now, self._keys_at(run, last_ms))

    def _is_made_up_for(self, patch: Patch) -> bool:
        """Whether both runs show the same there with the next pair, so that one of them may only have been late."""
        then = self._then(patch)
        if then is None:
            return False
        good, bad = (
            standing_at(texts, t_ms, patch.region) for texts, t_ms in zip((self._good, self._bad), then, strict=True)
        )
        return self._words(good) == self._words(bad)

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
        return {self._key(each) for each in stood_between(sightings, t_ms, t_ms + 1) if is_read(each)}

    def _around(self, patch: Patch) -> tuple[set[str], set[str]]:
        """What stood in each run from the pair before to the pair after: only what did not is missing, or new."""
        if not self._pairs:
            return set(), set()
        place = self._came(patch) - 1
        first, last = self._pairs[max(place - 1, 0)], self._pairs[min(place + 1, len(self._pairs) - 1)]
        here = stood_between(self._good, first.good.t_ms, last.good.until_ms)
        there = stood_between(self._bad, first.bad.t_ms, last.bad.until_ms)
        return {self._key(each) for each in here}, {self._key(each) for each in there}

    def _key(self, text: Sighting) -> str:
        return folded(self._mask(text.text))

    def _swapped(self, text: Sighting, twin: Sighting, patch: Patch) -> bool:
        """Whether each of the two stands in the other's place."""
        places = [each.place_at(patch.good_ms) for each in self._good if each.text == twin.text]
        return any(
            text.text in [each.text for each in standing_at(self._bad, patch.bad_ms, place)]
            for place in places
            if place is not None
        )

    def _looks(self, patch: Patch, texts: Sequence[Sighting], *, is_half_drawn: bool) -> None:
        words = " and ".join(quoted(each.text) for each in texts[:_LINES])
        what = (
            f"{words} look{'s' if len(texts) == 1 else ''}"
            if words
            else f"A place without text ({_place(patch)}) looks"
        )
        said = Difference(
            kind=DifferenceKind.CHANGED,
            good_ms=patch.good_ms,
            bad_ms=patch.bad_ms,
            good=texts[0].text if texts else None,
            bad=texts[0].text if texts else None,
            region=patch.region,
            description=f"{what} different at {clock(patch.bad_ms)}.",
        )
        has_moved = patch.recoloured < _MOVED
        is_clear = patch.mutual and not (is_half_drawn or has_moved or _is_small(patch))
        self._report(self.found if is_clear else self.unclear, said)

    def _single(self, patch: Patch) -> None:
        is_new = patch.side == "bad"
        kind = DifferenceKind.NEW if is_new else DifferenceKind.GONE
        good = standing_at(self._good, patch.good_ms, patch.region)
        bad = standing_at(self._bad, patch.bad_ms, patch.region)
        if self._is_varying(patch, good, bad):
            return
        known = {self._mask(each.text).casefold() for each in (self._good if is_new else self._bad)}
        texts, t_ms = (bad, patch.bad_ms) if is_new else (good, patch.good_ms)
        own = [each for each in texts if is_read(each) and self._mask(each.text).casefold() not in known]
        own = [each for each in own if not any(alike(each.text, text) > _ALIKE for text in known)]
        is_half_drawn = bool(own) and (self._is_half_drawn_alone(patch) or self._is_coming(patch))
        for text in own[:_LINES]:
            self._one_sided(kind, text, patch, is_half_drawn=is_half_drawn)
        if own or texts:
            # Texts that both runs have are no difference by themselves: a screen may have settled in one run alone.
            return
        lasted = f"for {patch.lasted_ms / 1000:.1f} s at {clock(t_ms)}"
        where = f"Something without text that was read ({_place(patch)})"
        words = f"{where} is new, {lasted}." if is_new else f"{where} is missing, which stood in the good run {lasted}."
        said = Difference(kind=kind, good_ms=patch.good_ms, bad_ms=patch.bad_ms, region=patch.region, description=words)
        # It may as well be a page that one recording caught half-drawn, or in the middle of a scroll.
        self._report(self.unclear, said)

    def _by_doubt(self, *texts: Sighting) -> list[Difference]:
        return self.unclear if doubtful(*texts) else self.found

    def _report(self, where: list[Difference], said: Difference) -> None:
        words = self._mask(said.good or ""), self._mask(said.bad or "")
        key = (said.kind, said.good == said.bad, *(words if any(words) else said.region or ()))
        known = self._reported.get(key)
        if known is None or (known is self.unclear and where is self.found):
            self._reported[key] = where
            where.append(said)


def _are_same(good: Sequence[str], bad: Sequence[str]) -> bool:
    """Whether the words are the same, but for a lone sign that is read in a longer line alone."""
    lost, come = Counter(good) - Counter(bad), Counter(bad) - Counter(good)
    only = lost or come
    return not only or (bool(good and bad) and not (lost and come) and all(len(word) == 1 for word in only))


def _without(these: Sequence[Sighting], those: Sequence[Sighting]) -> list[Sighting]:
    there = {each.text for each in those}
    return [each for each in these if each.text not in there]


def _completes(now: set[str], then: set[str], others: set[str]) -> bool:
    """Whether a screen kept most of its texts, and got such as the other run had by then."""
    return _keeps(now, then) and bool((then - now) & others)


def _keeps(now: set[str], then: set[str]) -> bool:
    return len(now & then) >= _KEPT * len(now)


def _is_small(patch: Patch) -> bool:
    return max(patch.region[2:]) < _SMALL


def _place(patch: Patch) -> str:
    x, y, width, height = patch.region
    return f"{width}x{height} at {x},{y}"
