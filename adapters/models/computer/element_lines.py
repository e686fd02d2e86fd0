"""What programs tell of their elements, as a model reads it beside the screenshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adapters.models.computer.briefings import data_line
from core.accessibility import Role, State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.accessibility import AccessibleTree, Element
    from core.screens import Point, Window

MOST: Final = 100
"""Elements; a line of one takes about 25 tokens."""
_MOST_LETTERS: Final = 80
"""Of a name or a value."""
_SILENT: Final = frozenset({Role.GENERIC, Role.WINDOW, Role.DOCUMENT, Role.SEPARATOR, Role.TEXT})
"""What nothing is done with, and what the picture shows as well."""
_STATES: Final = (State.FOCUSED, State.CHECKED, State.MIXED, State.SELECTED, State.EXPANDED, State.BUSY)


def element_lines(
    tree: AccessibleTree, windows: Sequence[Window], back: Callable[[Point], tuple[int, int]]
) -> tuple[str, ...]:
    """One line of JSON for each element that can be acted on and seen, in reading order.

    ``windows`` are the topmost first: what another program's window covers is left out. ``back`` turns pixels of the
    desktop into the model's coordinates.
    """
    shown = [each for each in tree.elements if _is_shown(each, windows)]
    lines = [data_line(_described(each, back)) for each in shown[:MOST]]
    return (*lines, f"({len(shown) - MOST} more are left out.)") if len(shown) > MOST else tuple(lines)


def _is_shown(element: Element, windows: Sequence[Window]) -> bool:
    box = element.box
    if box is None or element.role in _SILENT or State.VISIBLE not in element.states:
        return False
    top = next((each for each in windows if each.box.contains(box.centre)), None)
    return top is not None and top.pid == element.pid and bool(element.name or element.value)


def _described(element: Element, back: Callable[[Point], tuple[int, int]]) -> dict[str, Any]:
    states = [str(state) for state in _STATES if state in element.states]
    if State.ENABLED not in element.states:
        states.append("disabled")
    found: dict[str, Any] = {"role": str(element.role), "name": element.name[:_MOST_LETTERS]}
    if element.value is not None and State.PROTECTED not in element.states:
        found["value"] = element.value[:_MOST_LETTERS]
    if states:
        found["states"] = states
    if element.box is not None:
        found["at"] = list(back(element.box.centre))
    return found
