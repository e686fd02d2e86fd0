"""A comparison of two runs as one page to hand on: good beside bad at each difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.headlines import of_comparison
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
    line = of_comparison(comparison.model_dump(mode="json"))
    return render(
        "comparison.html",
        pictures,
        title="Two runs compared",
        outcome=(line.mood, SIGNS[line.mood], line.text),
        comparison=comparison,
    )
