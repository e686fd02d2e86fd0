"""A comparison in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.headlines import ONE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.comparison.values import Comparison


def headline(comparison: Comparison) -> str:
    """How it came out, in a line."""
    count = len(comparison.differences)
    if not count:
        return ONE_FILE if comparison.is_of_one_file else "The same"
    return f"{count} difference{'s' if count > 1 else ''}: {comparison.differences[0].description}"


def lines(comparison: Comparison) -> Iterator[str]:
    """All of it, a line each."""
    if comparison.is_of_one_file:
        yield ONE_FILE
    elif comparison.same:
        yield "The same."
    for each in comparison.differences:
        yield f"{each.kind}: {each.description}"
    for each in comparison.varying:
        yield f"differs from run to run: {each.description}"
    for each in comparison.unclear:
        yield f"unclear: {each.description}"
    yield from comparison.warnings
