"""Enter behind what was typed: told where the pointer that a click would have needed stood still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind
from tests.adapters.video.observer.test_observed_actions import along, arrow
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher


def _named(watcher: Watcher, *, goes: bool = True, comes: bool = True, moves: bool = False) -> Findings:
    """A name is typed into a dialog, which closes then, and the name stands in a list."""
    name = "Aurora"

    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Boats of the club", size=26)
        write(canvas, 40, 90, "Meteor")
        if t < 3600 or not goes:
            canvas.rectangle((300, 200, 700, 420), outline="#404040", fill="#f4f4f4")
            write(canvas, 320, 220, "Name of the boat")
            canvas.rectangle((320, 260, 660, 300), outline="#404040", fill="white")
            write(canvas, 330, 268, name[: max((t - 1200) // 160, 0)])
            write(canvas, 340, 370, "Cancel")
            write(canvas, 560, 370, "Add it")
        if t >= 3600 and comes:
            write(canvas, 40, 140, name)
        stops = ((0, (100, 560)), (700, (480, 286)), *(((2700, (580, 378)),) if moves else ()))
        arrow(canvas, *along(stops, t))

    return watcher.see(scene, 5200)


def test_what_was_typed_and_is_taken_while_the_pointer_stays_was_entered(watcher: Watcher) -> None:
    found = _named(watcher)

    (pressed,) = [action for action in found.actions if action.kind is ActionKind.PRESS]
    assert pressed.value == "Enter"
    assert abs(pressed.t_ms - 3600) <= 150
    effects = [event for event in found.timeline if event.cause == found.actions.index(pressed)]
    assert any("Aurora" in (event.text or "") for event in effects)


@pytest.mark.parametrize("otherwise", [{"moves": True}, {"comes": False}, {"goes": False}])
def test_what_may_be_a_click_or_given_up_or_found_while_typing_was_not_entered(
    watcher: Watcher, otherwise: dict[str, bool]
) -> None:
    assert ActionKind.PRESS not in {action.kind for action in _named(watcher, **otherwise).actions}
