"""The words for events: plain past-tense sentences that quote what was on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adapters.video.boxes import Box

_LARGE: Final = 160
_BRIEF_MS: Final = 2000


def appeared(text: str, t_ms: int, until_ms: int | None) -> str:
    """A text that was not there before."""
    if until_ms is not None and until_ms - t_ms < _BRIEF_MS:
        return f'"{text}" appeared for {_seconds(until_ms - t_ms)}.'
    return f'"{text}" appeared.'


def vanished(text: str) -> str:
    """A text that is not there any more."""
    return f'"{text}" disappeared.'


def changed(before: str, text: str, *, single: bool) -> str:
    """A text in place of another."""
    if single:
        return f'The text "{before}" changed to "{text}".'
    return f'"{before}" was replaced by "{text}".'


def typed(text: str, before: str | None, label: str | None) -> str:
    """A text that came letter by letter; what stood in the field names it better than what stands beside it."""
    place = f' into "{label}"' if label else ""
    return f'"{text}" was typed where "{before}" had stood.' if before else f'"{text}" was typed{place}.'


def typed_hidden(label: str | None) -> str:
    """A password, shown as dots."""
    return f'Hidden characters were typed into "{label}".' if label else "Hidden characters were typed."


def navigated(text: str) -> str:
    """Another page or screen."""
    return f'The screen was replaced; it then showed "{text}".'


def scrolled(shift: tuple[int, int], text: str | None) -> str:
    """The content moved under the window."""
    dx, dy = shift
    if abs(dy) >= abs(dx):
        way = f"{'down' if dy < 0 else 'up'} by {abs(dy)} pixels"
    else:
        way = f"{'right' if dx < 0 else 'left'} by {abs(dx)} pixels"
    return f'The content scrolled {way}; "{text}" came into view.' if text else f"The content scrolled {way}."


def repainted(box: Box) -> str:
    """A place that changed its look, without any text."""
    return f"An area of {box[2]} by {box[3]} pixels at ({box[0]}, {box[1]}) changed its look."


def busy(box: Box, lasted_ms: int) -> str:
    """A place that kept moving."""
    place = f"at ({box[0]}, {box[1]})"
    if max(box[2:]) < _LARGE:
        return f"Something small kept moving {place} for {_seconds(lasted_ms)}, as a spinner does."
    return f"A moving picture of {box[2]} by {box[3]} pixels {place} kept playing for {_seconds(lasted_ms)}."


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds} ms"  # noqa: PLR2004
