"""Does the steps of a web session as a test does: no pointer is drawn, text comes at once, nothing rests for long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from playwright.sync_api import Error

from bench.world.hands import is_place
from bench.world.web import Browsing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.world.hands import Button
    from bench.world.session import Step

_PACE: Final = 0.3
"""Of a person's rests: a test waits for what it looks for alone."""
_NOTCH_PX: Final = 100
_FILL_MS: Final = 500
_SELECTS_ALL: Final = "ctrl+a"
_BEHIND: Final = frozenset({"ctrl+End", "End"})
"""Keys after which text is added to what a field holds."""
_KEYS: Final = {"ctrl": "Control", "shift": "Shift", "alt": "Alt", "Return": "Enter", "BackSpace": "Backspace",
                "Up": "ArrowUp", "Down": "ArrowDown", "Left": "ArrowLeft", "Right": "ArrowRight"}  # fmt: skip


class Runner(Browsing):
    """Hands that are Playwright's own calls."""

    _is_behind = False

    def do(self, steps: Sequence[Step]) -> None:
        """Do some steps; what is filled replaces what a field holds, so nothing need be selected."""
        super().do([step for step in steps if step.words != _SELECTS_ALL])

    def wait(self, seconds: float) -> None:
        """Rest for a part of the time."""
        super().wait(_PACE * seconds)

    def approach(self, point: tuple[int, int]) -> None:
        """Playwright moves its own pointer, which is not drawn, when it clicks."""

    def click(self, name: str, button: Button, times: int) -> None:
        """Click a thing, or at a place."""
        self._is_behind = False
        if is_place(name):
            x, y = map(int, name.split(","))
            self.page.mouse.click(x, y, button=button, click_count=times)
        else:
            self.page.locator(name).locator("visible=true").first.click(button=button, click_count=times)

    def write(self, text: str) -> None:
        """Fill the field that has the focus; what is no field, or in a frame, gets the text at once as well."""
        if not self._is_behind:
            try:
                self.page.locator(":focus").fill(text, timeout=_FILL_MS)
            except Error:
                pass
            else:
                return
        self._is_behind = False
        self.page.keyboard.insert_text(text)

    def press(self, key: str) -> None:
        """Press a key; behind some of them text is added to what a field holds."""
        self._is_behind = key in _BEHIND
        self.page.keyboard.press("+".join(_KEYS.get(each, each) for each in key.split("+")))

    def scroll(self, notches: int) -> None:
        """Turn the wheel."""
        self._is_behind = False
        self.page.mouse.wheel(0, _NOTCH_PX * notches)
