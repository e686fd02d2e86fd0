"""Compares two runs of the same thing: pixels say where they differ, texts say what that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.comparison.naming import Namer
from core.comparison.screen_changes import merged
from core.comparison.texts import completed, text_differences
from core.comparison.times import SLOWER, moved_difference, order_differences, slower, tempo
from core.comparison.values import Comparison, DifferenceKind
from core.comparison.varying import masking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.comparison.values import Difference, Pictures, Seen

MOST: Final = 50
"""The most differences that are reported; two runs that have nothing in common have many."""


def compare(good: Seen, bad: Seen, pictures: Pictures | None, patterns: Sequence[str] = ()) -> Comparison:
    """What is not as in the good run.

    Args:
        good: the run that is as it should be.
        bad: the run that is asked about.
        pictures: what their pixels tell; ``None`` where they cannot be held side by side.
        patterns: regular expressions of further values that differ from run to run.

    Raises:
        InvalidRequest: a pattern is wrong.

    """
    mask = masking(patterns)
    warnings: tuple[str, ...] = ()
    has_other_screens = False
    if pictures is None:
        found, varying, unclear = text_differences(good, bad, mask)
        warnings = ("The pictures could not be compared, so a difference that no text shows is not found.",)
    else:
        good, bad = (completed(*each) for each in zip((good, bad), pictures.standing, strict=True))
        namer = Namer(good, bad, mask, pictures.pairs)
        for patch in pictures.patches:
            namer.name(patch)
        found = merged(namer.found, pictures.pairs, (good, bad), mask)
        # The texts of another screen stand in both runs at other times, which is no order of theirs.
        has_other_screens = any(each not in namer.found for each in found)
        varying, unclear = namer.varying, namer.unclear
        # Where the order differs, the time between two pairs of screens is not that of one step.
        found += moved_difference(good, pictures.moved) or slower(pictures.pairs)
        pace = tempo(pictures.pairs)
        if pace >= SLOWER:
            warnings = (
                f"The steps of the bad run took {pace:.1f} times as long in general, which is not told as slower.",
            )
    if not has_other_screens and not any(each.kind is DifferenceKind.ORDER for each in found):
        found += order_differences(good, bad, mask)
    found.sort(key=lambda each: each.bad_ms)
    if len(found) > MOST:
        warnings += (f"{len(found) - MOST} further differences are left out.",)
    return Comparison(
        good=good.analysis.video.path,
        bad=bad.analysis.video.path,
        same=not found,
        differences=tuple(found[:MOST]),
        varying=_first(varying),
        unclear=_first(unclear),
        warnings=warnings,
        videos=(good.analysis.video, bad.analysis.video),
    )


def _first(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    return tuple(sorted(differences, key=lambda each: each.bad_ms)[:MOST])
