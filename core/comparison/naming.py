"""Says in words what a place is whose pixels differ."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, Final

from core.comparison.half_drawn import Runs
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
    touch,
)
from core.comparison.values import Difference, DifferenceKind
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
_LETTERS: Final = 2
"""So many letters differ at most where only some cells do."""
_SURE: Final = 0.9


class Namer:
    """Takes the places one by one; the same difference is reported once, at its first moment.

    Args:
        good: the run that is as it should be.
        bad: the run that is asked about.
        mask: replaces the values that differ from run to run.
        pairs: the screens that were held side by side, in their order.

    """

    def __init__(self, good: Seen, bad: Seen, mask: Callable[[str], str], pairs: Sequence[ScreenPair] = ()) -> None:
        self._runs = Runs(sightings_of(good), sightings_of(bad), mask, pairs)
        self._good, self._bad = self._runs.good, self._runs.bad
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
        if patch.few:
            good, bad = self._with_other_letters(patch, good, bad)
            if not good:
                return
        is_half_drawn = self._runs.is_half_drawn(patch)
        is_varying = self._is_varying(patch, good, bad)
        if [each.text for each in good] == [each.text for each in bad] and not is_varying:
            self._looks(patch, good, is_half_drawn=is_half_drawn)
            return
        before, after = self._without_varying(good, bad, patch)
        has_same_words = not is_varying and self._has_same_words(good, bad, patch)
        if is_varying:
            # What is read of lines that this one touches differs by the reading alone.
            before, after = [], []
        elif has_same_words:
            # The same, read in other pieces or with letters that look alike.
            twins = {self._runs.key(each) for each in after}
            before = [text for text in before if self._runs.key(text) in twins]
            after = after if before else []
        has_named = self._texts(patch, before, after, is_half_drawn)
        if not has_named and patch.recoloured >= _RECOLOURED:
            common = self._staying(good, bad, patch) or (bad if has_same_words else [])
            if common or all(doubtful(each) for each in (*good, *bad)):
                self._looks(patch, common, is_half_drawn=is_half_drawn)

    def _with_other_letters(
        self, patch: Patch, good: Sequence[Sighting], bad: Sequence[Sighting]
    ) -> tuple[list[Sighting], list[Sighting]]:
        """The texts of which some letters are others, where the pixels differ too: else it is a caret, or noise."""
        pairs = [
            (one, other)
            for one in good
            for other in bad
            if min(one.confidence, other.confidence) >= _SURE
            and are_near(one.place_at(patch.good_ms), other.place_at(patch.bad_ms))
            and _is_of_letters(patch, one, other)
        ]
        return [one for one, _ in pairs], [other for _, other in pairs]

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
            if _are_same(self._runs.words(good), self._runs.words(bad)) or self._joined(good) == self._joined(bad):
                return True
            lines = (*(each.place_at(patch.good_ms) for each in good), *(each.place_at(patch.bad_ms) for each in bad))
            whole = around([place, *(line for line in lines if line is not None)])
            if whole == place:
                break
            place = whole
            good = standing_at(self._good, patch.good_ms, place)
            bad = standing_at(self._bad, patch.bad_ms, place)
        return False

    def _joined(self, texts: Sequence[Sighting]) -> str:
        """What is read there from left to right, without spaces: a badge in another colour is read as a word apart."""
        by_left = sorted(texts, key=lambda each: each.region or (0, 0, 0, 0))
        return folded("".join(self._mask(each.text).replace(SIGN, "") for each in by_left))

    def _texts(self, patch: Patch, before: list[Sighting], after: list[Sighting], is_half_drawn: bool) -> bool:
        """Tell which texts are others, and whether one of them was read well."""
        here, there = self._runs.around(patch)
        named: list[Sighting] = []
        for text in before:
            twin = max(after, key=lambda each: alike(each.text, text.text), default=None)
            if twin is None:
                if self._runs.key(text) not in there:
                    self._one_sided(DifferenceKind.GONE, text, patch, is_half_drawn=is_half_drawn)
                    named.append(text)
                continue
            after.remove(twin)
            known = self._runs.key(text) in there, self._runs.key(twin) in here
            is_swapped = self._swapped(text, twin, patch)
            if all(known) and not is_swapped:
                continue
            said = changed(text.text, twin.text, patch.good_ms, patch.bad_ms, patch.region)
            is_timing = any(known) and not is_swapped and self._runs.is_made_up_for(patch)
            is_unclear = is_half_drawn or is_timing or folded(text.text) == folded(twin.text)
            self._report(self.unclear if is_unclear else self._by_doubt(text, twin), said)
            named += [text, twin]
        for text in after:
            if self._runs.key(text) not in here:
                self._one_sided(DifferenceKind.NEW, text, patch, is_half_drawn=is_half_drawn)
                named.append(text)
        return not all(doubtful(each) for each in named)

    def _one_sided(self, kind: DifferenceKind, text: Sighting, patch: Patch, *, is_half_drawn: bool) -> None:
        said = one_sided(kind, text.text, patch.good_ms, patch.bad_ms, patch.region)
        self._report(self.unclear if is_half_drawn else self._by_doubt(text), said)

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
        is_half_drawn = bool(own) and (self._runs.is_half_drawn_alone(patch) or self._runs.is_coming(patch))
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


def _is_of_letters(patch: Patch, one: Sighting, other: Sighting) -> bool:
    """Whether a place is where the letters of two texts of one length differ."""
    line = one.place_at(patch.good_ms)
    places = [at for at, (a, b) in enumerate(zip(one.text, other.text, strict=False)) if a != b]
    if line is None or len(one.text) != len(other.text) or not 0 < len(places) <= _LETTERS:
        return False
    letter = part_of(line, places[0] / len(one.text), (places[-1] + 1) / len(one.text))
    # A letter of another width moves those behind it.
    return touch(letter, patch.region) and is_within(patch.region, line)


def _is_small(patch: Patch) -> bool:
    return max(patch.region[2:]) < _SMALL


def _place(patch: Patch) -> str:
    x, y, width, height = patch.region
    return f"{width}x{height} at {x},{y}"
