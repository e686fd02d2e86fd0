"""How each kind of event is said in one sentence."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from core.analysis import BETWEEN_LINES
from core.narrative import LASTING_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line

_LARGE: Final = 160
_THIN: Final = 16
"""Pixels: what is thinner and ``_LONG`` times as long is no picture."""
_LONG: Final = 8
_FIRST: Final = 4
_MOST_LETTERS: Final = 130
"""So many letters of what came are said in the sentence; all of them stand in the event's text."""
_LETTERS_BEFORE: Final = 50
"""Of several lines that were replaced; the reader has met them already."""
_LARGER: Final = 1.3
_LAST: Final = 3
RECOLOURED: Final = "The screen changed its colours; its text stayed."
"""As when it is switched from light to dark."""


def appeared(quoted: str, t_ms: int, until_ms: int | None) -> str:
    """A text that was not there before."""
    if until_ms is not None and until_ms - t_ms < LASTING_MS:
        return f"{quoted} appeared for {_seconds(until_ms - t_ms)}."
    return f"{quoted} appeared."


def vanished(quoted: str) -> str:
    """A text that is not there any more."""
    return f"{quoted} disappeared."


def changed(before: str, quoted: str, *, single: bool) -> str:
    """A text in place of another."""
    if single:
        return f"The text {before} changed to {quoted}."
    return f"{before} was replaced by {quoted}."


def came_there(quoted: str, counted: str | None) -> str:
    """Several texts in place of others; of those, what counted on."""
    return (
        f"{quoted} came where {counted} and other text had stood." if counted else f"{quoted} came in place of others."
    )


def typed(text: str, before: str | None, label: str | None) -> str:
    """A text that came letter by letter; what stood in the field names it better than what stands beside it."""
    place = f' into "{label}"' if label else ""
    return f'"{text}" was typed where "{before}" had stood.' if before else f'"{text}" was typed{place}.'


def typed_hidden(label: str | None) -> str:
    """A password, shown as dots."""
    return f'Hidden characters were typed into "{label}".' if label else "Hidden characters were typed."


def logged(lines: Sequence[str], lasted_ms: int) -> str:
    """What went on growing beside the pages; its last lines say how far it came."""
    last = BETWEEN_LINES.join(lines[-_LAST:])
    return f'{len(lines)} lines came in the column at the left within {_seconds(lasted_ms)}, "{last}" last.'


def navigated(quoted: str | None) -> str:
    """Another page or screen; ``None`` where no line of it was read without doubt."""
    shown = f"it then showed {quoted}" if quoted else "what it then showed could not be read"
    return f"The screen was replaced; {shown}."


def navigated_to(address: str, text: str | None = None) -> str:
    """Another page, by its address; ``text`` is what came with it, its lines parted by dots, if any did."""
    if not text:
        return f'The page "{address}" came.'
    shown = ""
    for line in text.split(BETWEEN_LINES):
        if shown and len(shown) + len(line) > _MOST_LETTERS:
            break
        shown = f"{shown}{BETWEEN_LINES}{line}" if shown else line
    return f'The page "{address}" came; it showed "{shown[:_MOST_LETTERS]}".'


def scrolled(shift: tuple[int, int], quoted: str | None) -> str:
    """The content moved under the window."""
    dx, dy = shift
    if abs(dy) >= abs(dx):
        way = f"{'down' if dy < 0 else 'up'} by {abs(dy)} pixels"
    else:
        way = f"{'right' if dx < 0 else 'left'} by {abs(dx)} pixels"
    return f"The content scrolled {way}; {quoted} came into view." if quoted else f"The content scrolled {way}."


def repainted(box: Box) -> str:
    """A place that changed its look, without any text."""
    return f"An area of {box[2]} by {box[3]} pixels at ({box[0]}, {box[1]}) changed its look."


def marked(label: str) -> str:
    """A box that was ticked, a switch, a tab that was chosen; the label is the text beside it."""
    return f'The mark beside "{label}" changed its look.'


def ticked(label: str, state: str | None) -> str:
    """A box beside words, and its new state; ``None`` for a round one, of which another is left then."""
    return f'"{label}" was chosen.' if state is None else f'The box beside "{label}" was {state}.'


def busy(box: Box, lasted_ms: int) -> str:
    """A place that kept moving."""
    place = f"at ({box[0]}, {box[1]})"
    if min(box[2:]) <= _THIN and max(box[2:]) >= _LONG * min(box[2:]):
        size = f"{box[2]} by {box[3]} pixels"
        return f"A line of {size} {place} kept moving for {_seconds(lasted_ms)}, as a progress bar does."
    if max(box[2:]) < _LARGE:
        return f"Something small kept moving {place} for {_seconds(lasted_ms)}, as a spinner does."
    return f"A moving picture of {box[2]} by {box[3]} pixels {place} kept playing for {_seconds(lasted_ms)}."


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds} ms"  # noqa: PLR2004


def replaced(lines: Sequence[Line]) -> str:
    """What stood there before, in quotes: a line of its own whole, several by the first of them."""
    return quoted(lines, most=_MOST_LETTERS if len(lines) == 1 else _LETTERS_BEFORE)


def quoted(lines: Sequence[Line], counted: Sequence[Line] = (), *, most: int = _MOST_LETTERS) -> str:
    """The lines in quotes; of many those that say what it is: what stands first, is written large, or counts on."""
    usual = median(line.box[3] for line in lines)
    large = [line for line in lines[_FIRST:] if line.box[3] >= _LARGER * usual][:_FIRST]
    shown: list[Line] = []
    length = 0
    for line in [*lines[:_FIRST], *large, *counted, *lines[_FIRST:]]:
        if line in shown or (shown and length + len(line.text) > most):
            continue
        shown.append(line)
        length += len(line.text)
    text = BETWEEN_LINES.join(line.text[:most] for line in shown)
    left = len(lines) - len(shown)
    return f'"{text}" and {left} more line{"s" if left > 1 else ""}' if left else f'"{text}"'
