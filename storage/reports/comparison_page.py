"""A comparison of two runs as one page to hand on: good beside bad at each difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.comparison.sentences import headline
from core.narrative import clock
from storage.reports.page import SIGNS, environment, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.comparison.values import Comparison
    from storage.reports.page import Thumbnail


def comparison_page(comparison: Comparison, pictures: Mapping[str, Thumbnail]) -> str:
    """The page.

    Args:
        comparison: what it tells of.
        pictures: ``good-N`` and ``bad-N`` of the difference at place N; those that do not fit are left out.

    """
    environment().filters |= {"clock": clock}
    mood = "good" if comparison.same else "bad"
    return render(
        "comparison.html",
        pictures,
        title="Two runs compared",
        outcome=(mood, SIGNS[mood], headline(comparison)),
        comparison=comparison,
    )
