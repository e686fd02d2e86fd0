"""A comparison in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.headlines import of_comparison

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.comparison.values import Comparison


def lines(comparison: Comparison) -> Iterator[str]:
    """All of it, a line each."""
    if comparison.same:
        yield of_comparison(comparison.model_dump(mode="json")).text
    for each in comparison.differences:
        yield f"{each.kind}: {each.description}"
    for each in comparison.varying:
        yield f"differs from run to run: {each.description}"
    for each in comparison.unclear:
        yield f"unclear: {each.description}"
    yield from comparison.warnings
