"""Screens as eyes would have read them, written by hand: a line of text a row."""

from core.screens import Box, TextLine

ROW = 24


def line(text: str, *, row: int = 0, x: int = 40, score: float = 0.98) -> TextLine:
    """A line of text on the given row, 9 pixels a letter."""
    return TextLine(text=text, box=Box(x=x, y=row * ROW, width=9 * len(text), height=18), score=score)


def lines(*texts: str) -> list[TextLine]:
    """One line of text a row."""
    return [line(text, row=row) for row, text in enumerate(texts)]
